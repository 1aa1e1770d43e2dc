internal import DSP
internal import Engine
internal import OSC
internal import Takes

/// The story of a clip in the loop: when, where and as what it came to be, which is kept with it as
/// a take.
struct ClipStory {
  /// The time at which it was begun.
  var date = TakeDate.now
  /// The place of that, where it is known.
  var place: Place?
  /// The preset at that time; empty for none.
  var preset = ""
  /// The source that was recorded.
  var source = Take.Source.live
  /// The species that is heard, where it was loaded and that was known.
  var species = ""
}

/// The clips of the loop as the control side knows them: their stories, and those in memory on
/// their way into the loop or out of it.
final class Clips {
  /// So often a clip is read again where the server has another rate each time.
  static let mostAttempts = 3
  // More than can be steps back and forth.
  private static let mostStories = 96
  // Each is a whole clip.
  private static let mostUnderWay = 8

  /// A clip in memory, until nobody needs it any more.
  final class Transit {
    let transfer: ClipTransfer
    private let clips: Clips

    fileprivate init(_ clips: Clips, sampleRate: Int) {
      self.clips = clips
      transfer = ClipTransfer(sampleRate: sampleRate)
      clips.underWay += 1
    }

    deinit { clips.underWay -= 1 }
  }

  /// How many are in memory.
  private(set) var underWay = 0
  private let context: Context
  private var stories: [Int: ClipStory] = [:]
  private var latest: Int?

  init(_ context: Context) { self.context = context }

  /// Memory for a clip at the engine's rate.
  func transit() throws(Refusal) -> Transit {
    guard underWay < Self.mostUnderWay else {
      throw Refusal(.busy, "\(underWay) clips are under way already; send it again later")
    }
    return Transit(self, sampleRate: context.engine.shared.sampleRate)
  }

  /// Copies the clip in the loop out of the audio, and calls back with it; `path` is the address
  /// that a refusal speaks of.
  func copy(
    for path: String, then body: @escaping (Result<Transit, Refusal>) -> Void
  ) throws(Refusal) {
    let transit = try transit()
    let command = PlannedCommand(
      action: .copyOut(ClipPointer(transit.transfer)), whenDone: { body(.success(transit)) },
      whenRefused: { [weak self] refusal in
        guard let player = self?.context[Player.self] else { return }
        body(.failure(player.refusal(refusal, to: path)))
      })
    try context.submit([command], path: path)
  }

  /// Loads a clip in memory into the loop, with its story, and plays it where that is wanted; then
  /// answers with some words.
  ///
  /// `again` is called where the server has another rate since: it reads the clip again, unless it has
  /// done so too often.
  func load(
    _ transit: Transit, _ story: ClipStory, plays: Bool, saying words: [String],
    for request: Request, again: @escaping () throws(Refusal) -> Bool
  ) throws(Refusal) {
    let command = PlannedCommand(action: .load(ClipPointer(transit.transfer))) { [weak self] in
      guard let self else { return }
      self[transit.transfer.clip] = story
      if plays { context[Player.self].play() }
      request.done(words)
    } whenRefused: { [weak self] refusal in
      guard let self else { return }
      request.attempt { () throws(Refusal) in
        if case .otherRate = refusal, try again() { return }
        throw context[Player.self].refusal(refusal, to: request.path)
      }
    }
    try context.submit([command], for: request)
  }

  // MARK: - Stories

  /// The story of a clip, by its number.
  subscript(clip: Int) -> ClipStory? {
    get { stories[clip] }
    set {
      stories[clip] = newValue
      if stories.count > Self.mostStories, let oldest = stories.keys.min() {
        stories[oldest] = nil
      }
    }
  }

  /// The story of something recorded from now on.
  var storyOfNow: ClipStory {
    let word = context.table.address(of: .playerSource)?.argument(for: context[.playerSource]).text
    return ClipStory(
      date: .now, place: context[Takes.self].place, preset: context[Presets.self].loaded,
      source: Take.Source(rawValue: word ?? "") ?? .live)
  }

  /// Notes when, where and as what a clip came to be that is new in the loop.
  func followLoop() {
    let clip = context[Player.self].reading.latestClip
    guard clip != latest else { return }
    latest = clip
    if clip > 0, stories[clip] == nil { self[clip] = storyOfNow }
  }
}

extension ClipTransfer {
  /// Both channels of the clip, without what lies behind its end.
  var channels: [[Float]] {
    [sound.left, sound.right].map { Array(UnsafeMutableBufferPointer(start: $0, count: length)) }
  }
}
