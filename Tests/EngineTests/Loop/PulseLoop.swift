import DSP
import Engine
import Foundation
import TestSupport

/// A loop of four beats at 120 beats per minute, whose pulses show which position is heard when.
final class PulseLoop {
  /// A pulse as it was heard.
  struct Pulse: Equatable {
    /// Its time in beats since the start of the loop.
    var beat: Double
    /// How late it is in milliseconds; NaN if it is missing.
    var late: Double
    /// The share of the energy around it that is not its own: of a second copy, a half.
    var stray: Double
  }

  let stage: LoopStage
  private let perBeat: Int
  // The frame of the first cycle.
  private let start: Int
  // From which frame on, counted from the start, which tempo goes on from which beat.
  private var tempi: [(frame: Int, beat: Double, tempo: Double)] = [(0, 0, 120)]

  /// The sound of a pulse: 3 ms of 2 kHz.
  static let sound: [Float] = (0..<144).map { index in
    let place = Double(index) + 0.5
    let shape = 0.5 - 0.5 * cos(2 * .pi * place / 144)
    return Float(0.5 * shape * cos(2 * .pi * (place - 72) / 24))
  }
  /// The clip with so many pulses a beat, each in the middle of its part.
  static func clip(perBeat: Int) -> [Float] {
    var clip = Tone.constant(0, frames: 96_000)
    let part = 24_000 / perBeat
    for number in 0..<4 * perBeat {
      for (index, value) in sound.enumerated() {
        clip[number * part + part / 2 - 72 + index] = value
      }
    }
    return clip
  }

  /// Records the loop, which plays from the present frame on.
  init(perBeat: Int = 4, engine: Float = 0) {
    self.perBeat = perBeat
    stage = LoopStage()
    stage.set(.engine, of: 0, engine)
    stage.record(Self.clip(perBeat: perBeat), 0)
    start = stage.time
  }

  /// The beats since the start of the loop at a frame.
  func beats(at frame: Double) -> Double {
    let last = tempi.last { Double($0.frame) <= frame - Double(start) } ?? tempi[0]
    return last.beat + (frame - Double(start + last.frame)) * last.tempo / 2_880_000
  }

  /// The frame of a beat.
  func frame(ofBeat beat: Double) -> Double {
    let last = tempi.last { $0.beat <= beat } ?? tempi[0]
    return Double(start + last.frame) + (beat - last.beat) * 2_880_000 / last.tempo
  }

  /// Changes the tempo.
  func setTempo(_ tempo: Float) {
    noteTempo(Double(tempo))
    stage.set(.beat(.tempo), tempo)
  }

  /// Notes a tempo that another source has.
  func noteTempo(_ tempo: Double) {
    tempi.append((stage.time - start, beats(at: Double(stage.time)), tempo))
  }

  /// Plays on for a number of beats at the present tempo.
  func pass(beats: Double) {
    let end = frame(ofBeat: self.beats(at: Double(stage.time)) + beats)
    // Whole blocks: commands begin with one.
    let frames = Int(end.rounded()) - stage.time
    stage.rest(max(64, frames / 64 * 64))
  }

  /// The pulses heard from a beat on, before those of another one.
  func pulses(from first: Double, to last: Double) -> [Pulse] {
    let part = 1 / Double(perBeat)
    var found: [Pulse] = []
    var beat = (first / part).rounded(.up) * part + part / 2
    while beat < last {
      found.append(pulse(at: beat))
      beat += part
    }
    return found
  }

  /// The pulses heard from a frame on, before another one, in equal distances.
  func heard(from first: Double, to last: Double, count: Int? = nil) -> [Pulse] {
    let count = count ?? perBeat
    let part = (last - first) / Double(count)
    return (0..<count).map { pulse(at: Double($0), around: first + (Double($0) + 0.5) * part) }
  }

  private func pulse(at beat: Double) -> Pulse { pulse(at: beat, around: frame(ofBeat: beat)) }

  private func pulse(at beat: Double, around middle: Double) -> Pulse {
    // Less than half of the way to the next pulse.
    let found = Self.find(in: stage.stems[0], around: middle, way: 9000 / perBeat)
    return Pulse(beat: beat, late: found.late, stray: found.stray)
  }

  /// How late a pulse is in milliseconds against a frame, at most `way` frames, and what share of the energy around
  /// it is not its own.
  static func find(in stem: [Float], around middle: Double, way: Int) -> (
    late: Double, stray: Double
  ) {
    let (first, last) = (Int(middle) - way, Int(middle) + way)
    guard first >= 0, last < stem.count else { return (.nan, 1) }
    var (sum, moment) = (0.0, 0.0)
    for frame in first...last {
      let power = Double(stem[frame]) * Double(stem[frame])
      sum += power
      moment += power * Double(frame)
    }
    if sum < 1e-3 { return (.nan, 1) }
    let center = moment / sum
    var near = 0.0
    for frame in first...last where abs(Double(frame) - center) < 384 {
      near += Double(stem[frame]) * Double(stem[frame])
    }
    return ((center + 0.5 - middle) / 48, 1 - near / sum)
  }

  /// Whether the pulses from a beat on are those that were recorded, bit for bit.
  func isUnchanged(from first: Double, to last: Double) -> Bool {
    let part = 1 / Double(perBeat)
    var beat = (first / part).rounded(.up) * part + part / 2
    while beat < last {
      let middle = Int(frame(ofBeat: beat).rounded())
      let around = Array(stage.stems[0][middle - 400..<middle + 400])
      let places = around.indices.dropLast(Self.sound.count)
      let isThere = places.contains { Array(around[$0..<$0 + Self.sound.count]) == Self.sound }
      if !isThere { return false }
      beat += part
    }
    return true
  }
}
