internal import DSP
internal import Engine
internal import Library
internal import OSC
internal import Posix
internal import SoundFiles

/// The story of a clip in the loop: when, where and as what it came to be, which is kept with it as
/// a take.
struct ClipStory {
  /// The time at which it was begun.
  var date = ZonedDate.now
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

    fileprivate init(_ clips: Clips, sampleRate: Int, seconds: Double) {
      self.clips = clips
      transfer = ClipTransfer(sampleRate: sampleRate, seconds: seconds)
      clips.underWay += 1
    }

    deinit { clips.underWay -= 1 }
  }

  /// How many are in memory.
  private(set) var underWay = 0
  private let context: Context
  // By loop.
  private var stories: [[Int: ClipStory]]
  private var latest: [Int?]

  init(_ context: Context) {
    self.context = context
    let count = context.engine.shared.loops.count
    stories = Array(repeating: [:], count: count)
    latest = Array(repeating: nil, count: count)
  }

  /// The length of the longest clip, in seconds.
  var longest: Double { context.engine.shared.loops.seconds }

  /// Memory for a clip at the engine's rate.
  func transit() throws(Refusal) -> Transit {
    guard underWay < Self.mostUnderWay else {
      throw Refusal(.busy, "\(underWay) clips are under way already; send it again later")
    }
    return Transit(self, sampleRate: context.engine.shared.sampleRate, seconds: longest)
  }

  /// Copies the clip in a loop out of the audio, and calls back with it; `path` is the address
  /// that a refusal speaks of.
  func copy(
    loop: Int = 0, for path: String, then body: @escaping (Result<Transit, Refusal>) -> Void
  ) throws(Refusal) {
    let transit = try transit()
    let command = PlannedCommand(
      action: .copyOut(ClipPointer(transit.transfer), loop: UInt8(loop)),
      whenDone: { body(.success(transit)) },
      whenRefused: { [weak self] refusal in
        guard let loops = self?.context[Loops.self] else { return }
        body(.failure(loops.refusal(refusal, to: path, of: loop)))
      })
    try context.submit([command], path: path)
  }

  /// Loads a clip in memory into a loop, with its story, and calls back when it is there; `path` is the
  /// address that a refusal speaks of.
  ///
  /// `again` is called where the server has another rate since: it reads the clip again, unless it has
  /// done so too often.
  func load(
    _ transit: Transit, _ story: ClipStory, loop: Int = 0, for path: String,
    again: @escaping () throws(Refusal) -> Bool,
    then ending: @escaping (Result<Void, Refusal>) -> Void
  ) throws(Refusal) {
    let command = PlannedCommand(action: .load(ClipPointer(transit.transfer), loop: UInt8(loop))) {
      [weak self] in
      self?[loop, transit.transfer.clip] = story
      ending(.success(()))
    } whenRefused: { [weak self] refusal in
      guard let self else { return }
      do throws(Refusal) {
        if case .otherRate = refusal, try again() { return }
        throw context[Loops.self].refusal(refusal, to: path, of: loop)
      } catch {
        ending(.failure(error))
      }
    }
    try context.submit([command], path: path)
  }

  // MARK: - Stories

  /// The story of a clip, by its loop and its number there.
  subscript(loop: Int, clip: Int) -> ClipStory? {
    get { stories[loop][clip] }
    set {
      stories[loop][clip] = newValue
      if stories[loop].count > Self.mostStories, let oldest = stories[loop].keys.min() {
        stories[loop][oldest] = nil
      }
    }
  }

  /// The story of something recorded in a loop from now on.
  func storyOfNow(ofLoop loop: Int) -> ClipStory {
    let source = Parameter.loop(.source, UInt8(loop))
    let word = context.table.address(of: source)?.argument(for: context[source]).text
    return ClipStory(
      date: .now, place: context[Takes.self].place, preset: context[Presets.self].loaded,
      source: Take.Source(rawValue: word ?? "") ?? .live)
  }

  /// Notes when, where and as what a clip came to be that is new in a loop.
  func followLoops() {
    for loop in latest.indices {
      let clip = context.engine.shared.loops[loop].state.read().latestClip
      guard clip != latest[loop] else { continue }
      latest[loop] = clip
      if clip > 0, stories[loop][clip] == nil { self[loop, clip] = storyOfNow(ofLoop: loop) }
    }
  }
}

extension ClipStory {
  /// The story of a take.
  init(_ take: Take) {
    self.init(
      date: take.date, place: take.place, preset: take.preset, source: take.source,
      species: take.species)
  }
}

extension ClipTransfer {
  /// Notes what of a file was read into it.
  func take(_ part: ClipPart) {
    length = part.length
    framesBehind = part.framesBehind
    round = part.beat?.round ?? 0
  }

  /// Both channels of the clip, without what lies behind its end.
  var channels: [[Float]] {
    [sound.left, sound.right].map { Array(UnsafeMutableBufferPointer(start: $0, count: length)) }
  }
}
