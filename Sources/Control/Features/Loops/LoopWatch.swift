internal import Engine
internal import OSC

/// Detects changes of one loop between polls.
struct LoopWatch {
  /// The changes since the last poll.
  struct Changes {
    /// Whether its state, queued command or history changed.
    var isState = false
    /// Whether its position changed and should be sent.
    var isPosition = false
    /// Whether its peaks changed.
    var isPicture = false
    /// The delay until the next poll in milliseconds; nil if none is needed.
    var due: Int?
  }

  // The interval of position updates, in microseconds.
  private static let positionPeriod = 100_000.0
  // The poll interval while the state can change on its own, in milliseconds.
  private static let busyMilliseconds = 10
  // The minimum interval of updates of the peaks, in microseconds.
  private static let picturePeriod = 250_000.0

  private let index: Int
  private var last: PublishedLoop.Reading?
  private var nextPosition = 0.0
  /// The peaks of the clip.
  private(set) var peaks: [Float] = []
  // The number of these peaks, and the earliest time of the next update.
  private var picture: UInt64 = 0
  private var nextPicture = 0.0

  /// Creates a watch of a loop, counted from 0.
  init(_ index: Int) { self.index = index }

  /// Polls the loop, at a time in microseconds.
  mutating func poll(_ shared: Shared, _ now: Double) -> Changes {
    let reading = shared.loops[index].state.read()
    defer { last = reading }
    var changes = followPeaks(shared, now)
    let isMoving = reading.state.isPlaying || reading.state == .recording
    if let last, !reading.isLike(last) { changes.isState = true }
    if reading.position != last?.position, !isMoving || now >= nextPosition {
      nextPosition = now + Self.positionPeriod
      changes.isPosition = true
    }
    if isMoving || reading.pending != nil { changes.due = Self.busyMilliseconds }
    return changes
  }

  /// Reads the latest peaks.
  mutating func followPeaks(_ shared: Shared, _ now: Double) -> Changes {
    var changes = Changes()
    if shared.loops[index].peaks.isBehind { changes.due = Self.busyMilliseconds }
    guard shared.loops[index].peaks.count != picture else { return changes }
    guard now >= nextPicture else {
      changes.due = max(1, Int(((nextPicture - now) / 1000).rounded(.up)))
      return changes
    }
    nextPicture = now + Self.picturePeriod
    picture = shared.loops[index].peaks.count
    let former = peaks
    peaks = shared.loops[index].peaks.read()
    changes.isPicture = peaks != former
    return changes
  }
}

extension PublishedLoop.Reading {
  /// Whether two readings are equal except for the position.
  fileprivate func isLike(_ other: Self) -> Bool {
    state == other.state && pending == other.pending && activity == other.activity
      && activityToCome == other.activityToCome && overdubs == other.overdubs
      && stepsBack == other.stepsBack && stepsForth == other.stepsForth
      && (length == other.length || state == .recording)
  }
}

/// The state of a loop as OSC arguments.
struct LoopStatus {
  let reading: PublishedLoop.Reading
  /// The sample rate, in Hz.
  let rate: Int

  private func seconds(_ frames: Int) -> Float { Float(frames) / Float(max(1, rate)) }

  /// The position in the clip, in seconds.
  var position: Float { seconds(reading.position) }

  /// The length of the clip, in seconds.
  var length: Float { seconds(reading.length) }

  /// The arguments of `/player/state`.
  var player: [Argument] {
    Argument.row(reading.state.word, reading.state.mode, position, length, reading.overdubs)
  }

  /// The arguments of `/loop/state`.
  var loop: [Argument] {
    Argument.row(
      "\(reading.activity)", position, length, reading.overdubs,
      reading.activityToCome.map { "\($0)" } ?? "")
  }

  /// The number of undo and redo steps.
  var steps: [Argument] {
    // A recording must end first.
    if reading.state.isRecording { return Argument.row(0, 0) }
    return Argument.row(reading.stepsBack, reading.stepsForth)
  }

  /// The queued command, and the seconds until it starts.
  var waiting: [Argument] {
    Argument.row(
      reading.pending.map(\.word) ?? "",
      reading.waiting.map(seconds) ?? (reading.pending == nil ? 0 : -1))
  }
}

extension LoopAction {
  /// The word in addresses and in `/player/next`.
  var word: String { self == .recordOn ? "record" : "\(self)" }
}
