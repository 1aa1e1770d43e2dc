internal import Engine
internal import Takes

/// When, where and as what a clip in the loop came to be: what is kept with it as a take.
struct ClipStory {
  /// When it was begun.
  var date = TakeDate.now
  /// Where that was.
  var place: Place?
  /// The preset at that time.
  var preset = ""
  /// What was recorded.
  var source = Take.Source.live
  /// What is heard, where it was loaded and that was known.
  var species = ""
}

/// The clips of the loop as the control side knows them: their stories, and those in memory on
/// their way into the loop or out of it.
final class Clips {
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
  private var stories: [Int: ClipStory] = [:]

  /// Memory for a clip at a rate in Hz.
  func transit(sampleRate: Int) throws(Refusal) -> Transit {
    guard underWay < Self.mostUnderWay else {
      throw Refusal(.busy, "\(underWay) clips are under way already; send it again later")
    }
    return Transit(self, sampleRate: sampleRate)
  }

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

  /// Notes that a clip was begun just now.
  func begin(_ clip: Int, _ node: Node) {
    if clip > 0, stories[clip] == nil { self[clip] = node.storyOfNow }
  }
}
