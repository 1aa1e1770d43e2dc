internal import Engine

/// Tracks the take or post that is playing, in loop 1 or as a song.
final class ItemPlayback {
  private static let playingMilliseconds = 10

  private let context: Context
  private let clips: Clips
  // The item that was announced last.
  private var announced: ClipItem?
  // Whether a clip is being loaded for playback. Until it plays, the previous one counts as playing.
  private var isOpening = false

  init(_ context: Context, _ clips: Clips) {
    self.context = context
    self.clips = clips
  }

  /// The take or post that is playing or paused; nil if none is, or once a layer is on loop 1.
  var item: ClipItem? { inLoop ?? context[Songs.self].playback.item }

  private var inLoop: ClipItem? {
    let loop = context.loop(0)
    let waits = loop.pending == .play
    return loop.state.isPlaying || loop.state.isPaused || waits ? held : nil
  }

  // The take or post in loop 1; nil for any other clip, or if it has a layer.
  private var held: ClipItem? {
    let loop = context.loop(0)
    return loop.overdubs == 0 ? clips[0, loop.clip]?.item : nil
  }

  // While a clip is being loaded, the previous one is reported until the new one plays.
  private var reported: ClipItem? { item ?? (isOpening ? announced : nil) }

  /// The id of the take; empty for none.
  var take: String {
    if case .take(let id) = reported { id } else { "" }
  }

  /// The number of the post; 0 for none.
  var post: Int {
    if case .post(let number) = reported { number } else { 0 }
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

  /// Marks a clip as being loaded into loop 1 for playback, until `play` or `endOpening`.
  func beginOpening() { isOpening = true }

  /// Marks the clip as playing, or as failed to load.
  func endOpening() { isOpening = false }

  /// Plays the loaded clip.
  func play() {
    let command = PlannedCommand(
      action: .loop(.play), whenDone: { [weak self] in self?.endOpening() },
      whenRefused: { [weak self] _ in self?.endOpening() })
    do throws(Refusal) {
      try context.submit([command], path: Player.play)
    } catch {
      endOpening()
    }
  }

  /// Announces a change of the take or post to subscribers.
  ///
  /// Returns the time until the next call in milliseconds; nil if none plays.
  func poll() -> Int? {
    if reported != announced {
      announced = reported
      context.changed(Takes.playing, BoardFeed.playing)
    }
    return reported == nil && !isOpening ? nil : Self.playingMilliseconds
  }
}
