internal import Music

/// Transcribes a monophonic melody to notes.
///
/// Notes are separated by pitch, and on the same pitch by new attacks.
package struct NoteFinder {
  /// Pitch and level of one analysis frame.
  private struct Frame {
    var cents = 0.0
    var clarity: Float = 0
    // In dB.
    var level: Float = 0
    var isVoiced = false
  }

  private static let secondsApart = 0.005
  private static let clearest: Float = 0.75
  // Signals this far below the loudest, in dB, are considered noise.
  private static let depth: Float = 45
  private static let quietest: Float = -65
  // A pitch further away than this, in cents, and for longer than a vibrato cycle, starts a new
  // note.
  private static let distance = 65.0
  private static let framesAway = 10
  // A shorter gap, in frames, is a breath within a note.
  private static let framesMissing = 5
  // The rise in level within a few frames that marks a new attack, in dB.
  private static let strike: Float = 6
  private static let framesOfStrike = 8
  private static let framesBetweenStrikes = 20
  private static let shortest = 0.05

  private let rate: Double
  private let hop: Int
  private let sound: [Float]
  private let level: LevelCurve
  private var frames: [Frame] = []
  private let reach: Int

  private init(_ sound: [Float], rate: Double) {
    self.sound = sound
    self.rate = rate
    hop = max(1, Int((Self.secondsApart * rate).rounded()))
    level = LevelCurve(sound, rate: rate)
    let periodicity = Periodicity(rate: rate)
    reach = periodicity.window / 2 / hop + 1
    for frame in stride(from: 0, to: sound.count, by: hop) {
      let finding = periodicity.find(in: sound, around: frame)
      var result = Frame()
      result.level = level.mean(around: Double(frame) / rate)
      if finding.period > 0 {
        result.clarity = finding.clarity
        result.cents = 6900 + Cents.of(rate / finding.period / 440)
      }
      frames.append(result)
    }
    let loudest = frames.map(\.level).max() ?? -200
    let gate = max(Self.quietest, loudest - Self.depth)
    for index in frames.indices {
      frames[index].isVoiced = frames[index].clarity >= Self.clearest && frames[index].level > gate
    }
    smooth()
  }

  /// Returns the notes of a sound with a sample rate in Hz, in order.
  package static func notes(in sound: [Float], rate: Double) -> [PlayedNote] {
    guard !sound.isEmpty else { return [] }
    return NoteFinder(sound, rate: rate).notes()
  }

  /// Applies a median filter to the pitches: octave errors of a frame or two aren't in the voice.
  private mutating func smooth() {
    let old = frames
    for index in old.indices where old[index].isVoiced {
      let near = (max(0, index - 2)...min(old.count - 1, index + 2))
        .filter { old[$0].isVoiced }.map { old[$0].cents }.sorted()
      // An even number has no median; keep the value.
      if near.count % 2 == 1 { frames[index].cents = near[near.count / 2] }
    }
  }

  // MARK: - Segmentation

  /// Consecutive frames of one note.
  private struct Stretch {
    var first: Int
    var last: Int
    /// The frames that determine its pitch.
    var members: [Int]
    /// How the note started: after silence, with an attack, or with a change of pitch.
    var beginning: Beginning
  }

  private enum Beginning {
    case silence, strike, pitch
  }

  private func notes() -> [PlayedNote] {
    stretches().compactMap(note)
  }

  private func stretches() -> [Stretch] {
    var result: [Stretch] = []
    var present: Stretch?
    var away: [Int] = []
    var struckAt = -Self.framesBetweenStrikes
    func end() {
      if let stretch = present { result.append(stretch) }
      present = nil
      away = []
    }
    for index in frames.indices {
      guard frames[index].isVoiced else {
        if let last = present?.last, index - max(last, away.last ?? 0) > Self.framesMissing {
          end()
        }
        continue
      }
      guard let stretch = present else {
        present = Stretch(first: index, last: index, members: [index], beginning: .silence)
        struckAt = index
        continue
      }
      if isStruck(index), index - struckAt > Self.framesBetweenStrikes {
        end()
        present = Stretch(first: index, last: index, members: [index], beginning: .strike)
        struckAt = index
        continue
      }
      guard abs(frames[index].cents - middle(stretch.members)) > Self.distance else {
        present?.members.append(index)
        present?.last = index
        away = []
        continue
      }
      // The frames of a new pitch must agree with each other.
      if let first = away.first, abs(frames[index].cents - frames[first].cents) > Self.distance {
        away = []
      }
      away.append(index)
      if away.count >= Self.framesAway {
        let members = away
        end()
        present = Stretch(
          first: members[0], last: index, members: members, beginning: .pitch)
      }
    }
    end()
    return result
  }

  private func isStruck(_ index: Int) -> Bool {
    let before = frames[max(0, index - Self.framesOfStrike)...index].map(\.level).min() ?? 0
    return frames[index].level - before > Self.strike
  }

  /// Returns the median pitch of the last frames, which converges soon enough.
  private func middle(_ members: [Int]) -> Double {
    let cents = members.suffix(100).map { frames[$0].cents }.sorted()
    return cents[cents.count / 2]
  }

  // MARK: - Measurement

  private func note(_ stretch: Stretch) -> PlayedNote? {
    let seconds = Double(hop) / rate
    let near = Double(stretch.first) * seconds
    let start: Double =
      switch stretch.beginning {
      case .pitch: max(0, near - seconds / 2)
      case .silence: level.rise(near: near, from: near - 0.08, to: near + 0.05)
      case .strike: level.rise(near: near, from: near - 0.04, to: near + 0.03)
      }
    let end = level.fall(from: start, to: Double(stretch.last + 1) * seconds)
    guard end - start >= Self.shortest else { return nil }
    // At both ends the window overlaps other sounds.
    let inner = stretch.members.filter {
      $0 >= stretch.first + reach && $0 <= stretch.last - reach
    }
    let members = inner.count >= 3 ? inner : stretch.members
    let all = members.map { frames[$0].cents }.sorted()
    // The interquartile mean: steadier than the median, and as robust against outliers.
    let half = all[all.count / 4..<max(all.count / 4 + 1, all.count - all.count / 4)]
    let cents = half.reduce(0, +) / Double(half.count)
    let spread = members.reduce(0) { $0 + abs(frames[$1].cents - cents) } / Double(members.count)
    return PlayedNote(start: start, length: end - start, cents: cents, spread: spread)
  }
}
