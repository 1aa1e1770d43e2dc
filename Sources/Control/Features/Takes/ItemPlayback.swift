internal import Engine

/// The take or post that is heard, from loop 1 or as a song.
final class ItemPlayback {
  private static let playingMilliseconds = 10

  private let context: Context
  private let clips: Clips
  // The one announced last.
  private var announced: ClipItem?

  init(_ context: Context, _ clips: Clips) {
    self.context = context
    self.clips = clips
  }

  /// The take or post that plays or is paused; nil for none, and once loop 1 has a layer.
  var item: ClipItem? { inLoop ?? context[Songs.self].playback.item }

  private var inLoop: ClipItem? {
    let loop = context.loop(0)
    // Undo leads to what was in the loop before.
    guard loop.state.isPlaying || loop.state.isPaused, loop.overdubs == 0, loop.stepsForth == 0
    else { return nil }
    return clips[0, loop.latestClip]?.item
  }

  /// The id of the take; empty for none.
  var take: String {
    if case .take(let id) = item { id } else { "" }
  }

  /// The number of the post; 0 for none.
  var post: Int {
    if case .post(let number) = item { number } else { 0 }
  }

  /// Stops the take or post if it is `wanted`.
  func stop(_ wanted: (ClipItem) -> Bool) throws(Refusal) {
    // It may have ended while the button was pressed.
    guard let item, wanted(item) else { return }
    if inLoop == nil {
      try context[Songs.self].playback.stop()
    } else {
      try context.perform(Player.stop, [])
    }
  }

  /// Announces another take or post to subscribers.
  ///
  /// Returns the time until the next call in milliseconds; nil if none plays.
  func poll() -> Int? {
    let item = item
    if item != announced {
      announced = item
      context.changed(Takes.playing, BoardFeed.playing)
    }
    return item == nil ? nil : Self.playingMilliseconds
  }
}
