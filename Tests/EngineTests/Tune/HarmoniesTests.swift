import DSP
import Engine
import Foundation
import TestSupport
import Testing

/// The harmony voices of the live input.
@Suite struct HarmoniesTests {
  private let voice = SungTone()

  /// The keys of C major.
  private static let major: KeyMap = {
    let scale = [0, 2, 4, 5, 7, 9, 11]
    return KeyMap(
      snapped: (0..<128).map { key in
        Float(100 * (key - (scale.contains(key % 12) ? 0 : 1)))
      },
      own: (0..<128).map { Float(100 * $0) })
  }()

  private func set(
    _ parameter: Parameter.Harmony, _ value: Float, voice: UInt8 = 0, on host: OfflineHost
  ) {
    host.send(Command(.set(.harmony(parameter, voice), value)))
  }

  /// A host in C major whose voices have these intervals.
  private func host(_ intervals: [HarmonyInterval], loops: Int = 1) -> OfflineHost {
    let host = OfflineHost()
    host.send(Command(.keyMap(Self.major.pointer)))
    for (index, interval) in intervals.enumerated() {
      set(.on, 1, voice: UInt8(index), on: host)
      set(.interval, Float(interval.rawValue), voice: UInt8(index), on: host)
      set(.gain, 0, voice: UInt8(index), on: host)
    }
    return host
  }

  /// The pitch of a sound near a note, apart from its first and last 20 ms.
  private func expect(
    _ sound: some Collection<Float>, at note: Double, within semitones: Double = 0.05,
    _ comment: String = ""
  ) {
    // Below 92 Hz, a window of 50 ms contains the second partial.
    let pitches = voice.pitches(of: sound, near: note, length: note < 42 ? 4800 : 2400)
    let worst = pitches.map { abs($0 - note) }.max() ?? .infinity
    #expect(worst < semitones, "\(comment) \(note): \(100 * worst) cents")
  }

  /// The share of a sound that is within 0.8 semitones of a note, as an amplitude.
  private func level(_ sound: some Collection<Float>, at note: Double) -> Double {
    let sound = Array(sound)
    let turns = SungTone.hertz(note) / 48_000
    var (real, imaginary) = (0.0, 0.0)
    for (index, sample) in sound.enumerated() {
      let window = 1 - cos(2 * .pi * (Double(index) + 0.5) / Double(sound.count))
      real += window * Double(sample) * cos(2 * .pi * turns * Double(index))
      imaginary += window * Double(sample) * sin(2 * .pi * turns * Double(index))
    }
    return 2 * (real * real + imaginary * imaginary).squareRoot() / Double(sound.count)
  }

  @Test func `off, the mix is the input and the stem is silent`() {
    let sound = voice.sound(seconds: 0.3) { _ in 57 }
    let output = OfflineHost().render(sound, block: 64)
    #expect(output.left == sound)
    #expect(output.harmony.left.allSatisfy { $0 == 0 })
  }

  @Test(
    arguments: [
      (HarmonyInterval.thirdUp, [52.0, 53, 55, 57, 59, 60, 62]),
      (.thirdDown, [45, 47, 48, 50, 52, 53, 55]), (.fifthUp, [55, 57, 59, 60, 62, 64, 65]),
      (.octaveDown, [36, 38, 40, 41, 43, 45, 47]), (.sixthUp, [57, 59, 60, 62, 64, 65, 67]),
      (.fourthDown, [43, 45, 47, 48, 50, 52, 53]), (.unison, [48, 50, 52, 53, 55, 57, 59]),
    ])
  func `intervals are steps of the scale`(interval: HarmonyInterval, expected: [Double]) {
    for (note, wanted) in zip([48.0, 50, 52, 53, 55, 57, 59], expected) {
      let sound = voice.sound(seconds: 0.5) { _ in note }
      let output = host([interval]).render(sound, block: 64)
      expect(output.harmony.left[9600...], at: wanted, "\(interval) of \(note)")
    }
  }

  @Test func `the harmony keeps the singer's intonation, and is in tune with a corrected voice`() {
    let sound = voice.sound(seconds: 0.6, level: 0.05) { _ in 52.3 }
    let free = host([.thirdUp])
    expect(free.render(sound, block: 64).harmony.left[9600...], at: 55.3)
    let tuned = host([.thirdUp])
    tuned.send(Command(.set(.tune(.on), 1)), Command(.set(.tune(.speed), 0)))
    let output = tuned.render(sound, block: 64)
    expect(output.harmony.left[9600...], at: 55)
    expect(zip(output.left, output.harmony.left).map { $0 - $1 }[9600...], at: 52)
  }

  @Test func `a note outside the scale has a harmony in the scale`() {
    let sound = voice.sound(seconds: 0.5) { _ in 54 }
    let output = host([.thirdUp]).render(sound, block: 64)
    // The scale's note below is F.
    expect(output.harmony.left[9600...], at: 57)
  }

  @Test func `in a pentatonic scale, a third is the nearest note`() {
    let scale = [0, 2, 4, 7, 9]
    let map = KeyMap(
      snapped: (0..<128).map { key in
        Float(100 * (key - (0..<3).first { scale.contains((key - $0 + 12) % 12) }!))
      },
      own: (0..<128).map { Float(100 * $0) })
    for (note, wanted) in [(48.0, 52.0), (50, 52), (52, 55), (55, 60), (57, 60)] {
      let host = host([.thirdUp])
      host.send(Command(.keyMap(map.pointer)))
      let output = host.render(voice.sound(seconds: 0.5) { _ in note }, block: 64)
      let found = [wanted, wanted + 2, wanted + 1, wanted - 1, wanted - 2].max {
        level(output.harmony.left[9600...], at: $0) < level(output.harmony.left[9600...], at: $1)
      }
      // From D, E and G are equally far from 3.6 semitones up, or nearly.
      if note != 50 { #expect(found == wanted, "\(note)") }
    }
    withExtendedLifetime(map) {}
  }

  @Test func `formants stay in place`() {
    let sound = voice.sound(seconds: 1) { _ in 45 }
    let output = host([.fifthUp]).render(sound, block: 64).harmony.left
    // The strongest partial of a vowel whose first formant is at 700 Hz: the fourth of 164.8 Hz, as unshifted the
    // sixth of 110 Hz. If the formants moved along, it would be at 1,050 Hz.
    let levels = (1...8).map { level(output[24_000...], at: 52 + 12 * log2(Double($0))) }
    #expect(levels.max() == levels[3])
  }

  @Test func `the latency is 20 ms, and notes begin and end with the singer's`() {
    let pause = Tone.constant(0, frames: 24_000)
    let note = voice.sound(seconds: 0.5) { _ in 55 }
    let output = host([.thirdUp]).render(pause + note + pause, block: 64).harmony.left
    let steady = Measure.level(output[36_000..<46_000])
    func isLoud(_ start: Int) -> Bool {
      Measure.level(output[start..<start + 240]) > 0.5 * steady
    }
    let first = stride(from: 23_000, to: 40_000, by: 48).first(where: isLoud)!
    let last = stride(from: 60_000, to: 40_000, by: -48).first(where: isLoud)!
    // 20 ms of the engine, and until the pitch is known.
    #expect(Double(first - 24_000) / 48 < 35, "\(Double(first - 24_000) / 48) ms")
    #expect(abs(Double(last - 48_000) / 48 - 20) < 15, "\(Double(last - 48_000) / 48) ms")
  }

  @Test func `consonants are not doubled`() {
    let note = voice.sound(seconds: 0.4) { _ in 55 }
    let hiss = Tone.noise(amplitude: 0.2, frames: 7200)
    let output = host([.thirdUp, .fifthUp]).render(note + hiss + note, block: 64).harmony.left
    // The middle of the hiss, 20 ms later.
    let start = note.count + 960
    let inHiss = Measure.level(output[(start + 1500)..<(start + 6000)])
    let inNote = Measure.level(output[9600..<19_200])
    #expect(20 * log10(inHiss / inNote) < -40, "\(20 * log10(inHiss / inNote)) dB")
  }

  @Test func `held notes go to the nearest voices, and voices never cross`() {
    let host = host([.held, .held])
    let sound = voice.sound(seconds: 0.5) { _ in 57 }
    func press(_ key: Int) {
      host.send(
        Command(
          .note(
            .on(
              NoteStart(
                finger: .cell(key), key: UInt8(key), cents: Float(100 * key), velocity: 0.01)))))
    }
    // Without a note, both are silent.
    #expect(host.render(sound, block: 64).harmony.left[9600...].allSatisfy { $0 == 0 })
    press(60)
    press(64)
    let both = host.render(sound, block: 64).harmony.left[9600...]
    for note in [60.0, 64] { #expect(level(both, at: note) > 0.01, "\(note)") }
    host.send(Command(.note(.off(.cell(60)))))
    press(65)
    // The upper voice moves to 65, the lower one to 64.
    let next = host.render(sound, block: 64).harmony.left[9600...]
    for note in [64.0, 65] { #expect(level(next, at: note) > 0.01, "\(note)") }
    #expect(level(next, at: 60) < 0.003)
    host.send(Command(.note(.allOff)))
    #expect(host.render(sound, block: 64).harmony.left[12_000...].allSatisfy { $0 == 0 })
  }

  @Test func `voices sing the chord of the second input, and its sound is no voice`() {
    let host = host([.chord, .chord, .chord])
    host.send(Command(.set(.mixer(.harmonyChords), 2)))
    let sung = voice.sound(seconds: 2) { _ in 57 }
    let strings = PluckedChord()
    // A minor, then F major.
    let played =
      strings.sound([45, 52, 57, 60, 64], seconds: 1)
      + strings.sound([41, 48, 53, 57, 60, 65], seconds: 1)
    let output = host.render(sung, right: played, block: 64)
    #expect(output.left.count == sung.count)
    let first = output.harmony.left[14_400..<43_200], second = output.harmony.left[62_400..<91_200]
    for note in [60.0, 64, 52] { #expect(level(first, at: note) > 0.01, "\(note) of A minor") }
    for note in [60.0, 65, 53] { #expect(level(second, at: note) > 0.01, "\(note) of F major") }
    #expect(level(second, at: 64) < 0.003)
    #expect(host.engine.shared.harmonies.chord == Chord(root: 5, shape: .major))
  }

  @Test func `pitch correction leaves the chords alone, with its delay`() {
    let sung = voice.sound(seconds: 1) { _ in 57.3 }
    let played = PluckedChord().sound([45, 52, 57, 60, 64], seconds: 1)
    let host = host([])
    host.send(Command(.set(.mixer(.harmonyChords), 2)))
    host.send(Command(.set(.tune(.on), 1)), Command(.set(.tune(.speed), 0)))
    let output = host.render(sung, right: played, block: 64)
    expect(output.left[14_400...], at: 57)
    let delay = Int(host.engine.shared.chainDelayFrames)
    #expect(delay > 0)
    let late = Array(played[(24_000 - delay)..<(40_000 - delay)])
    #expect(zip(output.right[24_000..<40_000], late).allSatisfy { abs($0 - $1) < 1e-6 })
  }

  @Test func `pan, gain, detuning and delay are those of the voice`() {
    let sound = voice.sound(seconds: 0.6) { _ in 57 }
    let host = host([.octaveUp, .octaveDown])
    set(.pan, -1, voice: 0, on: host)
    set(.pan, 1, voice: 1, on: host)
    set(.gain, -12, voice: 1, on: host)
    set(.detune, 30, voice: 0, on: host)
    let output = host.render(sound, block: 64)
    expect(output.harmony.left[9600...], at: 69.3)
    expect(output.harmony.right[9600...], at: 45)

    func level(_ decibels: Float) -> Double {
      let other = self.host([.octaveDown])
      set(.gain, decibels, on: other)
      return Measure.level(other.render(sound, block: 64).harmony.left[9600...])
    }
    #expect(abs(20 * log10(level(-12) / level(0)) + 12) < 0.01)

    func start(_ milliseconds: Float) -> Int {
      let other = self.host([.thirdUp])
      set(.delay, milliseconds, on: other)
      return other.render(sound, block: 64).harmony.left.firstIndex { abs($0) > 0.02 }!
    }
    #expect(start(100) - start(0) == 4800)
  }

  @Test func `gain and route of all harmonies apply to the mix, the gain to the stem, too`() {
    // Soft enough for the limiter.
    let sound = voice.sound(seconds: 0.5, level: 0.05) { _ in 57 }
    func render(_ commands: Command...) -> OfflineHost.Output {
      let host = host([.thirdUp])
      for command in commands { host.send(command) }
      return host.render(sound, block: 64)
    }
    // From 100 ms on: the first block has the former gain and route.
    let plain = render()
    let soft = render(Command(.set(.mixer(.harmonyGain), -20)))
    let off = render(Command(.set(.mixer(.harmonyRoute), 2)))
    let rest = 4800..<sound.count
    #expect(rest.allSatisfy { abs(soft.harmony.left[$0] - 0.1 * plain.harmony.left[$0]) < 1e-4 })
    #expect(rest.allSatisfy { abs(off.left[$0] - sound[$0]) < 1e-6 })
    #expect(off.harmony.left == plain.harmony.left)
    #expect(rest.allSatisfy { abs(plain.left[$0] - sound[$0] - plain.harmony.left[$0]) < 1e-6 })
  }

  @Test func `a loop records the harmonies`() {
    let host = host([.thirdUp])
    host.send(Command(.set(.loop(.source), 3)))
    let sound = voice.sound(seconds: 1) { _ in 57 }
    _ = host.render(Array(sound[..<24_000]), block: 64)
    host.send(Command(.loop(.record)))
    let recorded = host.render(Array(sound[24_000...]), block: 64).harmony.left
    host.send(Command(.loop(.play)))
    let played = host.render(Tone.constant(0, frames: 24_000), block: 64).loop
    #expect(Measure.level(recorded) > 0.01)
    // Apart from the crossfade at the seam.
    let delay = Measure.delay(of: played, against: recorded, atMost: 64, smoothing: 1)
    #expect(abs(delay) < 0.01)
    #expect(zip(played[1000..<23_000], recorded[1000..<23_000]).allSatisfy { abs($0 - $1) < 1e-5 })
  }

  @Test func `voices are turned on and off, and change their interval, without clicks`() {
    let sound = Tone.sine(SungTone.hertz(57), amplitude: 0.25, frames: 160_000)
    let host = host([.unison])
    set(.pan, -0.3, on: host)
    var output: [Float] = []
    for part in 0..<10 {
      set(.on, Float(part % 2), on: host)
      set(.interval, Float(part % 3 == 0 ? 5 : 10), on: host)
      set(.delay, part % 4 < 2 ? 0 : 30, on: host)
      let slice = sound[(part * 16_000)..<((part + 1) * 16_000)]
      output += host.render(Array(slice), block: 64).harmony.left
    }
    // A tone of 440 Hz has 1. A jump of phase or level in a millisecond has more than 10.
    let step = 2 * Double.pi * 440 / 48_000
    #expect(Double(Measure.roughness(output)) < 2.5 * 0.25 * step * step)
  }

  @Test(arguments: [1, 96, 1024])
  func `the result doesn't depend on the block size`(block: Int) {
    let sound = Array(
      voice.sound(seconds: 0.3) { 55 + 3 * $0 }.dropFirst() + Tone.constant(0, frames: 3000)
        + voice.sound(seconds: 0.2) { _ in 60.4 })
    let expected = host([.thirdUp, .fifthDown]).render(sound, block: 64).harmony.left
    let output = host([.thirdUp, .fifthDown]).render(sound, block: block).harmony.left
    #expect(Measure.level(expected) > 0.01)
    #expect(zip(output, expected).allSatisfy { abs($0 - $1) < 1e-5 })
  }

  @Test func `after silence the engine is idle again, and a voice that is on starts anew`() {
    let host = host([.thirdUp])
    let sound = voice.sound(seconds: 0.5) { _ in 57 }
    _ = host.render(sound, block: 64)
    let rest = host.render(Tone.constant(0, frames: 96_000), block: 64)
    #expect(rest.harmony.left[48_000...].allSatisfy { $0 == 0 })
    #expect(rest.left[48_000...].allSatisfy { $0 == 0 })
    expect(host.render(sound, block: 64).harmony.left[9600...], at: 60)
  }

  @Test(arguments: [(62.0, 0.6), (62.3, 0.5), (64, 0.8), (60.4, 0.4), (61, 0.5)])
  func `a wide vibrato doesn't change the harmony`(note: Double, depth: Double) {
    // The interval that is heard is that of a steady note.
    let sound = voice.sound(seconds: 2) { note + depth * sin(2 * .pi * 5.5 * $0) }
    let output = host([.thirdUp]).render(sound, block: 64).harmony.left
    let sung = voice.pitches(of: sound[19_200...], near: note, length: 1200)
    var intervals: [Double] = []
    for wanted in [3.0, 4] {
      let heard = voice.pitches(of: output[(19_200 + 960)...], near: note + wanted, length: 1200)
      let distances = zip(heard, sung).map { $0 - $1 }
      let fits = distances.filter { abs($0 - wanted) < 0.3 }
      intervals.append(Double(fits.count) / Double(distances.count))
    }
    // All the time one interval, apart from the first cycle and errors of the measurement.
    #expect(intervals.max()! > 0.95, "\(intervals)")
  }

  @Test func `a leap changes the harmony within 0.1 s`() {
    let sound = voice.sound(seconds: 2) { $0 < 1 ? 57 : 59 }
    let output = host([.thirdUp]).render(sound, block: 64).harmony.left
    expect(output[(48_000 + 4800)..<62_400], at: 62)
  }

  @Test func `hiss of narrow bands is no voice`() {
    let note = voice.sound(seconds: 0.4) { _ in 55 }
    // Noise above 2 kHz: the difference of neighbors, four times.
    var hiss = Tone.noise(amplitude: 0.1, frames: 19_200)
    for _ in 0..<4 { hiss = zip(hiss, [0] + hiss).map { $0 - $1 } }
    let output = host([.unison]).render(note + hiss + note, block: 64).harmony.left
    let start = note.count + 960
    let inHiss = Measure.level(output[(start + 1500)..<(start + 18_000)])
    #expect(20 * log10(inHiss / Measure.level(output[9600..<19_200])) < -40)
  }

  @Test func `a voice at one input is as loud as at both`() {
    let sound = voice.sound(seconds: 1, level: 0.1) { _ in 57 }
    func level(right: [Float]?) -> Double {
      Measure.level(
        host([.octaveUp]).render(sound, right: right, block: 64).harmony.left[24_000...])
    }
    let silence = Tone.constant(0, frames: sound.count)
    #expect(abs(20 * log10(level(right: silence) / level(right: nil))) < 0.1)
    #expect(abs(20 * log10(level(right: sound.map { -$0 }) / level(right: nil))) < 0.1)
  }

  @Test func `bypass and a hold on the live input silence the harmonies`() {
    let sound = voice.sound(seconds: 0.5, level: 0.05) { _ in 57 }
    for (parameter, isStemSilent) in [
      (Parameter.mixer(.bypass), true), (.mixer(.liveOff), false),
    ] {
      let host = host([.thirdUp])
      _ = host.render(sound, block: 64)
      host.send(Command(.set(parameter, 1)))
      let output = host.render(sound, block: 64)
      if isStemSilent {
        #expect(output.harmony.left[9600...].allSatisfy { $0 == 0 })
      } else {
        #expect(output.left[9600...].allSatisfy { $0 == 0 })
        #expect(Measure.level(output.harmony.left[9600...]) > 0.001)
      }
      host.send(Command(.set(parameter, 0)))
      let again = host.render(sound, block: 64)
      #expect(Measure.level(again.harmony.left[9600...]) > 0.001)
    }
  }

  @Test func `the sustain pedal and the wheel apply to held notes`() {
    let host = host([.held])
    let sound = voice.sound(seconds: 0.5) { _ in 57 }
    func midi(_ bytes: UInt8...) { host.midi.append((host.frame, bytes)) }
    midi(0xB0, 64, 127)
    midi(0x90, 64, 1)
    _ = host.render(sound, block: 64)
    midi(0x80, 64, 0)
    // Up by two semitones.
    midi(0xE0, 127, 127)
    expect(host.render(sound, block: 64).harmony.left[9600...], at: 66)
    midi(0xE0, 0, 64)
    expect(host.render(sound, block: 64).harmony.left[9600...], at: 64)
    midi(0xB0, 64, 0)
    #expect(host.render(sound, block: 64).harmony.left[9600...].allSatisfy { $0 == 0 })
    // The pedal is that of the MIDI keys: it doesn't sustain the notes of the grid.
    midi(0xB0, 64, 127)
    let note = NoteStart(finger: .cell(3), key: 64, cents: 6400, velocity: 0.01)
    host.send(Command(.note(.on(note))))
    expect(host.render(sound, block: 64).harmony.left[9600...], at: 64)
    host.send(Command(.note(.off(.cell(3)))))
    #expect(host.render(sound, block: 64).harmony.left[9600...].allSatisfy { $0 == 0 })
  }
}
