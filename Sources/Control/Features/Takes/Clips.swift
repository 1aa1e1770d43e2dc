internal import DSP
internal import Engine
internal import Library
internal import OSC
internal import Posix
internal import SoundFiles

/// The origin of a clip: time, location and settings of its recording, saved with its take.
struct ClipOrigin {
  /// The start of the recording.
  var date = ZonedDate.now
  /// The location; nil if unknown.
  var place: Place?
  /// The active preset; empty for none.
  var preset = ""
  /// The recorded source.
  var source = Take.Source.live
  /// The species of a loaded take; empty if unknown.
  var species = ""
  /// The take or post that was loaded; nil for a recording.
  var item: ClipItem?
}

/// The clips of the loops on the control side: their origins, and those in memory during a transfer.
final class Clips {
  /// The maximum number of reads of a clip, which is repeated when the sample rate changes.
  static let mostAttempts = 3
  // More than the undo history holds.
  private static let mostOrigins = 96
  // Each is a whole clip.
  private static let mostTransfers = 8
  // A transfer takes a fiftieth of the clip's length.
  private static let retryMilliseconds = 10

  /// A clip in memory during a transfer.
  final class Transit {
    let transfer: ClipTransfer
    private let clips: Clips

    fileprivate init(_ clips: Clips, sampleRate: Int, seconds: Double) {
      self.clips = clips
      transfer = ClipTransfer(sampleRate: sampleRate, seconds: seconds)
      clips.transfers += 1
    }

    deinit { clips.transfers -= 1 }
  }

  /// The number of clips in memory.
  private(set) var transfers = 0
  // The transfers that wait because their loop already has one.
  private var waiting: [() -> Void] = []
  private let context: Context
  // Indexed by loop.
  private var origins: [[Int: ClipOrigin]]
  private var latest: [Int?]

  init(_ context: Context) {
    self.context = context
    let count = context.loopCount
    origins = Array(repeating: [:], count: count)
    latest = Array(repeating: nil, count: count)
  }

  /// Allocates a clip at the engine's sample rate.
  func transit() throws(Refusal) -> Transit {
    guard transfers < Self.mostTransfers else {
      throw Refusal(.busy, "\(transfers) clips are already being transferred; try again later")
    }
    return Transit(self, sampleRate: context.sampleRate, seconds: context.loopSeconds)
  }

  /// Copies the clip of a loop from the engine, and calls back with it.
  ///
  /// `path` is the address in refusals.
  func copy(
    loop: Int = 0, for path: String, then body: @escaping (Result<Transit, Refusal>) -> Void
  ) throws(Refusal) {
    try copy(try transit(), loop: loop, for: path, then: body)
  }

  private func copy(
    _ transit: Transit, loop: Int, for path: String,
    then body: @escaping (Result<Transit, Refusal>) -> Void
  ) throws(Refusal) {
    let command = PlannedCommand(
      action: .copyOut(ClipPointer(transit.transfer), loop: UInt8(loop)),
      whenDone: { body(.success(transit)) },
      whenRefused: { [weak self] refusal in
        guard let self else { return }
        if case .transferring = refusal {
          waiting.append { [weak self] in
            completing(body) { () throws(Refusal) in
              try self?.copy(transit, loop: loop, for: path, then: body)
            }
          }
        } else {
          body(.failure(context[Loops.self].refusal(refusal, to: path, of: loop)))
        }
      })
    try context.submit([command], path: path)
  }

  /// Repeats a transfer that was refused because of another one of its loop.
  func whenFree(_ transfer: @escaping () -> Void) { waiting.append(transfer) }

  /// Tries again the transfers that waited for another one of their loop.
  ///
  /// Returns the time until the next call in milliseconds; nil if none waits.
  func retry() -> Int? {
    let due = waiting
    waiting = []
    for transfer in due { transfer() }
    return due.isEmpty ? nil : Self.retryMilliseconds
  }

  /// Loads a clip in memory into a loop, and calls back when done.
  ///
  /// `path` is the address in refusals.
  ///
  /// Calls `again` if the sample rate has changed since: it reads the clip again, up to a maximum number of
  /// attempts.
  func load(
    _ transit: Transit, _ origin: ClipOrigin, loop: Int = 0, for path: String,
    again: @escaping () throws(Refusal) -> Bool,
    then ending: @escaping (Result<Void, Refusal>) -> Void
  ) throws(Refusal) {
    let command = PlannedCommand(action: .load(ClipPointer(transit.transfer), loop: UInt8(loop))) {
      [weak self] in
      self?[loop, transit.transfer.clip] = origin
      ending(.success(()))
    } whenRefused: { [weak self] refusal in
      guard let self else { return }
      completing(ending) { () throws(Refusal) in
        if case .otherRate = refusal, try again() { return }
        throw context[Loops.self].refusal(refusal, to: path, of: loop)
      }
    }
    try context.submit([command], path: path)
  }

  // MARK: - Origin

  /// The origin of a clip, by its loop and its number there.
  subscript(loop: Int, clip: Int) -> ClipOrigin? {
    get { origins[loop][clip] }
    set {
      origins[loop][clip] = newValue
      if origins[loop].count > Self.mostOrigins, let oldest = origins[loop].keys.min() {
        origins[loop][oldest] = nil
      }
    }
  }

  /// The origin of a clip that was copied from a loop; with overdubs, it is no take or post anymore.
  func origin(of transit: Transit, loop: Int) -> ClipOrigin {
    var origin = self[loop, transit.transfer.clip] ?? currentOrigin(ofLoop: loop)
    if transit.transfer.layers > 0 { origin.item = nil }
    return origin
  }

  /// The origin of a recording that starts now.
  func currentOrigin(ofLoop loop: Int) -> ClipOrigin {
    let source = Parameter.loop(.source, UInt8(loop))
    let word = context.table.address(of: source)?.argument(for: context[source]).text
    return ClipOrigin(
      date: .now, place: context[Takes.self].place, preset: context[Presets.self].loaded,
      source: Take.Source(rawValue: word ?? "") ?? .live)
  }

  /// Records the origin of new clips.
  func followLoops() {
    for loop in latest.indices {
      let clip = context.loop(loop).latestClip
      guard clip != latest[loop] else { continue }
      latest[loop] = clip
      if clip > 0, origins[loop][clip] == nil { self[loop, clip] = currentOrigin(ofLoop: loop) }
    }
  }
}

extension ClipOrigin {
  /// The origin of a take.
  init(_ take: Take) {
    self.init(
      date: take.date, place: take.place, preset: take.preset, source: take.source,
      species: take.species, item: .take(take.id))
  }
}

extension ClipTransfer {
  /// Copies the properties of a clip read from a file.
  func setProperties(of part: ClipPart) {
    length = part.length
    framesBehind = part.framesBehind
    round = part.beat?.round ?? 0
    beat = 0
    if let known = part.beat, known.tempo > 0 {
      beat = LoopTape.exactBeat(
        round: known.round, near: 60 * Double(sampleRate) / Double(known.tempo))
    }
  }

  /// Both channels of the clip up to its end.
  var channels: [[Float]] {
    [sound.left, sound.right].map { Array(UnsafeMutableBufferPointer(start: $0, count: length)) }
  }
}
