internal import Engine
internal import OSC

/// A look at one loop, again and again: what has changed since the last one.
struct LoopWatch {
  /// The differences from the last look.
  struct News {
    /// Whether it does something else, or can.
    var isState = false
    /// Whether it is elsewhere in its clip, and that is to be told.
    var isPosition = false
    /// Whether there is another picture of the clip.
    var isPicture = false
    /// In how many milliseconds to look again; nil for any time.
    var due: Int?
  }

  // A position is told so often, in microseconds.
  private static let positionPeriod = 100_000.0
  // How often to look while something may end by itself, in milliseconds.
  private static let busyMilliseconds = 10
  // A picture of the clip is told so often at most, in microseconds.
  private static let picturePeriod = 250_000.0

  private let index: Int
  private var last: PublishedLoop.Reading?
  private var nextPosition = 0.0
  /// The peaks of the clip's picture.
  private(set) var peaks: [Float] = []
  // Which picture these are of, and when the next one may be told.
  private var picture: UInt64 = 0
  private var nextPicture = 0.0

  /// A look at the loop of this number, from 0.
  init(_ index: Int) { self.index = index }

  /// Looks at it, at a time in microseconds.
  mutating func look(_ shared: Shared, _ now: Double) -> News {
    let reading = shared.loops[index].state.read()
    defer { last = reading }
    var news = News()
    let isMoving = reading.state.isPlaying || reading.state == .recording
    if let last, !reading.isLike(last) { news.isState = true }
    if reading.position != last?.position, !isMoving || now >= nextPosition {
      nextPosition = now + Self.positionPeriod
      news.isPosition = true
    }
    let former = peaks
    news.due = followPeaks(shared, now)
    news.isPicture = former != peaks
    if isMoving || reading.pending != nil { news.due = Self.busyMilliseconds }
    return news
  }

  /// Takes over the latest picture of the clip; returns in how many milliseconds to look again.
  @discardableResult
  mutating func followPeaks(_ shared: Shared, _ now: Double) -> Int? {
    let isBehind = shared.loops[index].peaks.isBehind
    guard shared.loops[index].peaks.count != picture else {
      return isBehind ? Self.busyMilliseconds : nil
    }
    guard now >= nextPicture else { return max(1, Int(((nextPicture - now) / 1000).rounded(.up))) }
    nextPicture = now + Self.picturePeriod
    picture = shared.loops[index].peaks.count
    peaks = shared.loops[index].peaks.read()
    return isBehind ? Self.busyMilliseconds : nil
  }
}

extension PublishedLoop.Reading {
  /// Whether it is the same but for what moves by itself.
  fileprivate func isLike(_ other: Self) -> Bool {
    state == other.state && pending == other.pending && activity == other.activity
      && activityToCome == other.activityToCome && overdubs == other.overdubs
      && stepsBack == other.stepsBack && stepsForth == other.stepsForth
      && (length == other.length || state == .recording)
  }
}

/// The state of a loop, in the form in which its addresses tell it.
struct LoopTelling {
  let reading: PublishedLoop.Reading
  /// The rate of its frames, in Hz.
  let rate: Int

  private func seconds(_ frames: Int) -> Float { Float(frames) / Float(max(1, rate)) }

  /// Its place in the clip, in seconds.
  var position: Float { seconds(reading.position) }

  /// As `/player/state` tells it.
  var player: [Argument] {
    [
      .string(reading.state.word), .string(reading.state.mode), .float(position),
      .float(seconds(reading.length)), .int32(Int32(reading.overdubs)),
    ]
  }

  /// As `/loop/state` tells it.
  var loop: [Argument] {
    [
      .string("\(reading.activity)"), .float(position), .float(seconds(reading.length)),
      .int32(Int32(reading.overdubs)),
      .string(reading.activityToCome.map { "\($0)" } ?? ""),
    ]
  }

  /// How many steps can be undone, and redone.
  var steps: [Argument] {
    // A recording must be ended first.
    if reading.state.isRecording { return [.int32(0), .int32(0)] }
    return [.int32(Int32(reading.stepsBack)), .int32(Int32(reading.stepsForth))]
  }

  /// The action that waits, and for how many seconds.
  var waiting: [Argument] {
    [
      .string(reading.pending.map(\.word) ?? ""),
      .float(reading.waiting.map(seconds) ?? (reading.pending == nil ? 0 : -1)),
    ]
  }
}

extension LoopAction {
  /// Its word, as `/player/next` has it.
  fileprivate var word: String { self == .recordOn ? "record" : "\(self)" }
}
