import Engine
import Testing

@Suite struct LoopStateTests {
  /// The transitions of each state.
  ///
  /// An event without an entry has no effect.
  private static let table: [LoopState: [LoopEvent: LoopState]] = [
    .standby: [.record: .recording, .play: .playing],
    .recordReady: [.record: .recording],
    .playReady: [.play: .playingLoaded],
    .recording: [.record: .standby, .stop: .standby, .pause: .suspended],
    .suspended: [.record: .recording, .pause: .recording, .stop: .standby],
    .playing: [.play: .paused, .pause: .paused, .stop: .standby],
    .playingLoaded: [.play: .pausedLoaded, .pause: .pausedLoaded, .stop: .playReady],
    .paused: [.record: .recording, .play: .playing, .pause: .playing, .stop: .standby],
    .pausedLoaded: [.play: .playingLoaded, .pause: .playingLoaded, .stop: .standby],
  ]

  @Test(arguments: LoopState.allCases, LoopEvent.allCases)
  func `each event has the transition in the table, and no other`(
    state: LoopState, event: LoopEvent
  ) {
    let expected = event == .done ? .standby : Self.table[state]?[event]
    #expect(state.after(event) == expected)
  }
}
