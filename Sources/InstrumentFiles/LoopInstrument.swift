internal import DSP
internal import Glibc
internal import Listening
internal import Tones

/// Makes an instrument from a recording: one sound, played chromatically.
package enum LoopInstrument {
  // The shortest note that can be looped, in seconds.
  private static let shortestSteady = 0.35
  // Crossfade lengths in seconds.
  private static let fades = [0.05, 0.02]
  // Sound directly before a note, such as a consonant, counts as its onset. At most this many
  // seconds.
  private static let longestBefore = 0.15
  // The threshold of leading silence, in dB below the peak.
  private static let silence: Float = 45

  /// Makes an instrument from the channels of a sound, at `rate` Hz.
  package static func make(_ sound: [[Float]], rate: Int) throws(InstrumentFault) -> Instrument {
    let mono = mixed(sound)
    guard let first = firstFrame(mono) else {
      throw InstrumentFault(.missing, "the loop is silent")
    }
    let notes = NoteFinder.notes(in: mono, rate: Double(rate))
    // The longest steady note.
    let note = notes.max { weight($0) < weight($1) }
    var faults: [String] = []
    var cents = 6000.0
    var start = first
    if let note {
      cents = note.cents
      start = self.start(of: note, among: notes, first: first, rate: rate)
    } else {
      faults.append("no pitch detected; middle C plays it unshifted")
    }
    var channels = sound.map { Array($0[start...]) }
    for channel in channels.indices { fadeIn(&channels[channel], rate: rate) }
    let loop = note.flatMap { note in
      steadyLoop(
        &channels, mono: Array(mono[start...]), note, offset: Double(start) / Double(rate),
        rate: rate)
    }
    let root = max(0, min(127, Int((cents / 100).rounded())))
    var opcodes = SFZOpcodes()
    var words = [
      ("pitch_keycenter", "\(root)"), ("tune", "\(Double(root) * 100 - cents)"),
      ("ampeg_release", "0.2"),
    ]
    if loop == nil { words.append(("loop_mode", "one_shot")) }
    for (opcode, value) in words { _ = opcodes.set(opcode, value) }
    let frames = channels[0].count
    var region = opcodes.region(sample: 0, frames: frames, loop: loop, nameKey: nil)
    if let loop { region.end = loop.upperBound }
    return Instrument(
      name: InstrumentName.ofTheLoop, regions: [region],
      samples: [
        InstrumentSample(
          name: "loop", path: "", storage: .memory(channels), channels: channels.count,
          frames: frames, rate: rate)
      ], faults: faults)
  }

  private static func weight(_ note: PlayedNote) -> Double { note.length / (1 + note.spread / 30) }

  private static func mixed(_ sound: [[Float]]) -> [Float] {
    guard sound.count > 1 else { return sound.first ?? [] }
    return sound[0].indices.map { (sound[0][$0] + sound[1][$0]) / 2 }
  }

  /// Finds the first frame after the leading silence.
  private static func firstFrame(_ sound: [Float]) -> Int? {
    let peak = SoundShape.peak(sound)
    // A peak of -80 dBFS or less is noise.
    guard peak > 1e-4 else { return nil }
    let threshold = peak * Float(SoundUnits.amplitude(decibels: -Double(silence)))
    return sound.firstIndex { abs($0) > threshold }
  }

  /// Finds the frame at which playback of a note starts.
  private static func start(
    of note: PlayedNote, among notes: [PlayedNote], first: Int, rate: Int
  ) -> Int {
    let before = notes.last { $0.start < note.start }
    let earliest = max(before?.end ?? 0, note.start - longestBefore)
    // Start 5 ms early to keep the whole transient.
    return max(first, Int(max(earliest, before == nil ? 0 : note.start - 0.005) * Double(rate)))
  }

  private static func fadeIn(_ sound: inout [Float], rate: Int) {
    let frames = min(sound.count, rate / 500)
    for frame in 0..<frames { sound[frame] *= Float(frame) / Float(frames) }
  }

  // MARK: - The loop

  /// Finds a loop in the steady part of a note and crossfades its end into its beginning.
  ///
  /// Returns nil if the note is too short or unsteady.
  private static func steadyLoop(
    _ channels: inout [[Float]], mono: [Float], _ note: PlayedNote, offset: Double, rate: Int
  ) -> Range<Int>? {
    guard note.length >= shortestSteady, note.spread < 40 else { return nil }
    let rate = Double(rate)
    let period = rate / SoundUnits.hertz(cents: note.cents)
    // Skip the attack and the decay.
    let first = Int((note.start - offset + max(0.08, 0.25 * note.length)) * rate)
    let last = min(
      mono.count - Int(2 * period) - 1,
      Int((note.end - offset - max(0.04, 0.1 * note.length)) * rate)
    )
    guard first < last else { return nil }
    // A longer crossfade is less audible, but a shorter one fits more notes.
    for seconds in fades {
      let fade = min(Int(seconds * rate), first)
      guard fade > Int(2 * period),
        let seam = LoopSeam.find(in: mono, steady: first..<last, period: period, fade: fade)
      else { continue }
      for channel in channels.indices { seam.blend(&channels[channel]) }
      return seam.loop
    }
    return nil
  }
}
