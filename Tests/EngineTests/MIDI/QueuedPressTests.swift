import TestSupport
import Testing

@testable import Engine

/// The pedal with quantization: every input, every grain, with count-in and threshold.
@Suite struct QueuedPressTests {
  /// The inputs for a press of a loop's pedal.
  enum Way: CaseIterable {
    /// Two commands: the press and the release.
    case commands
    /// Both on one frame, like an OSC message without an argument.
    case tap
    case note, controller, program, key

    /// Whether this input supports long presses.
    var holds: Bool { self != .tap && self != .program }
  }

  /// A foot on the pedal of loop 2, in frames from the start of a bar.
  ///
  /// A beat has 2000 frames, a bar 4000, and loop 1 plays cycles of 3000 from the same frame.
  private final class Foot {
    static let rate = 8000
    static let beat = 2000, bar = 4000, round = 3000

    let host = OfflineHost(
      sampleRate: Double(rate), loops: LoopSetup(count: 2, seconds: 10, keptSeconds: 1))
    private let origin: Int
    private let map: PressMap
    /// The frame from which on the input is loud.
    var loudFrom = Int.max

    init() {
      let entries =
        [Trigger(.note, 60)!, Trigger(.controller, 64)!, Trigger(.program, 5)!]
        + [Trigger(.key, 30)!]
      map = PressMap(
        entries.map { trigger in
          var entry = PressMap.Entry(trigger)
          entry.presses = PressBits.down | PressBits.up
          entry.down = [BoundAction(binding: 1, .command(.loop(.press, loop: 1)))]
          entry.up = [BoundAction(binding: 2, .command(.loop(.release, loop: 1)))]
          return entry
        })
      host.send(
        Command(.setPressMap(map.pointer)), Command(.set(.beat(.tempo), 240)),
        Command(.set(.beat(.beatsPerBar), 2)), Command(.set(.mixer(.liveRoute), 2)))
      _ = host.render([0], block: 1)
      // Turning on the metronome starts a bar.
      origin = Int(host.frame)
      host.send(Command(.set(.metronome(.on), 1)), Command(.loop(.recordOn)))
      host.send(Command(.loop(.recordOn), at: Int64(origin + Self.round)))
      pass(until: 1)
      set(.metronome(.on), 0)
      pass(until: 2 * Self.round)
    }

    deinit { withExtendedLifetime(map) {} }

    var now: Int { Int(host.frame) - origin }

    var reading: PublishedLoop.Reading { host.engine.shared.loops[1].state.read() }

    func set(_ parameter: Parameter, _ value: Float) { host.send(Command(.set(parameter, value))) }

    func set(_ parameter: Parameter.Loop, _ value: Float) { set(.loop(parameter, 1), value) }

    func send(_ action: LoopAction, at frame: Int) {
      host.send(Command(.loop(action, loop: 1), at: Int64(origin + frame)))
    }

    func pass(until end: Int) {
      while now < end {
        let frames = min(128, end - now)
        let sound = (0..<frames).map { now + $0 < loudFrom ? Float(0) : 0.5 }
        _ = host.render(sound, block: 128)
        _ = host.events()
        while host.engine.shared.nextPress() != nil {}
      }
    }

    /// Presses the pedal on a frame, and releases it some frames later.
    func press(_ way: Way, at frame: Int, for length: Int) {
      let (down, up) = (UInt32(origin + frame), UInt32(origin + frame + length))
      switch way {
      case .commands:
        send(.press, at: frame)
        send(.release, at: frame + length)
      case .tap:
        send(.press, at: frame)
        send(.release, at: frame)
      case .note: host.midi += [(down, [0x90, 60, 100]), (up, [0x80, 60, 0])]
      case .controller: host.midi += [(down, [0xB0, 64, 127]), (up, [0xB0, 64, 0])]
      case .program: host.midi += [(down, [0xC0, 5])]
      case .key:
        host.send(
          Command(.key(30, isDown: true), at: Int64(down)),
          Command(.key(30, isDown: false), at: Int64(up)))
      }
    }
  }

  /// The first multiple of a period at or after a frame.
  private func next(_ period: Int, from frame: Int, anchor: Int = 0) -> Int {
    anchor + (frame - anchor + period - 1) / period * period
  }

  /// The due frame of an action requested on a frame, for each value of `quantize`.
  private func due(_ quantize: Int, from frame: Int, anchor: Int = 0) -> Int {
    switch quantize {
    case 1: next(Foot.beat, from: frame, anchor: anchor)
    case 2: next(Foot.bar, from: frame, anchor: anchor)
    case 3: next(Foot.round, from: frame)
    default: frame
    }
  }

  // Taps, and durations just below and above a long press, in milliseconds.
  private static let lengths = [30, 100, 600, 900]

  @Test(arguments: Way.allCases, 0...3)
  func `a press starts and ends a recording on the grid, however long it is held`(
    way: Way, quantize: Int
  ) {
    for length in Self.lengths {
      for (countIn, threshold) in [(0, false), (0, true), (1, false), (1, true)] {
        let foot = Foot()
        foot.set(.quantize, Float(quantize))
        foot.set(.beat(.countIn), Float(countIn))
        if threshold { foot.set(.threshold, -20) }
        let held = way.holds ? length * Foot.rate / 1000 : 0
        let pressed = 8130
        // A count-in starts with the press, and moves the bars there.
        let anchor = countIn > 0 ? pressed : 0
        var start = countIn > 0 ? pressed + Foot.bar : due(quantize, from: pressed)
        if threshold {
          // The input is loud only after even a long press has ended.
          start += 7500
          foot.loudFrom = start
        }
        foot.press(way, at: pressed, for: held)
        foot.pass(until: max(start, pressed + held) + 300)
        let name = "\(way) \(quantize) \(length) ms, count-in \(countIn), threshold \(threshold)"
        #expect(foot.reading.activity == .recording, "\(name): \(foot.reading)")
        #expect(foot.reading.length == foot.now - start, "\(name)")
        let ended = foot.now + 5031
        // A recording that sound started ends a whole number of grains after its start.
        let end =
          threshold
          ? start + due(min(quantize, 3), from: ended - start)
          : due(quantize, from: ended, anchor: anchor)
        foot.press(way, at: ended, for: held)
        foot.pass(until: max(end, ended + held) + 300)
        #expect(foot.reading.length == end - start, "\(name), end")
        // After an immediate end, a long press stops the loop.
        let isLong = way.holds && length > 500 && quantize == 0
        let isStopped = isLong && foot.reading.activity == .stopped
        #expect(isStopped || foot.reading.activity == .playing, "\(name): \(foot.reading)")
        #expect(foot.reading.pending == nil)
      }
    }
  }

  @Test(arguments: Way.allCases)
  func `a second tap while a recording's start or end is queued changes nothing`(way: Way) {
    // Before the bar, and just before and after it.
    for gap in [500, 1000] {
      let foot = Foot()
      foot.set(.quantize, 2)
      foot.press(way, at: 11_300, for: 240)
      foot.press(way, at: 11_300 + gap, for: 240)
      foot.pass(until: 12_700)
      #expect(foot.reading.activity == .recording && foot.reading.pending == nil)
      #expect(foot.reading.length == 700)
      foot.press(way, at: 19_300, for: 240)
      foot.press(way, at: 19_300 + gap, for: 240)
      foot.pass(until: 25_000)
      #expect(foot.reading.activity == .playing && foot.reading.pending == nil)
      #expect(foot.reading.length == 8000)
    }
  }

  @Test func `a later tap while it is queued changes nothing either`() {
    let foot = Foot()
    foot.set(.quantize, 2)
    foot.press(.note, at: 8030, for: 240)
    foot.press(.note, at: 11_500, for: 240)
    foot.pass(until: 12_300)
    #expect(foot.reading.activity == .recording && foot.reading.length == 300)
  }

  @Test(arguments: [true, false])
  func `a long press cancels the queued action`(isCounted: Bool) {
    let foot = Foot()
    foot.set(.beat(.countIn), isCounted ? 4 : 0)
    if !isCounted { foot.set(.threshold, -20) }
    foot.press(.note, at: 8030, for: 240)
    foot.pass(until: 12_000)
    #expect(foot.reading.pending == .recordOn)
    foot.press(.note, at: 12_100, for: 7000)
    foot.pass(until: 19_500)
    #expect(foot.reading.pending == nil && foot.reading.activity == .empty)
    foot.loudFrom = foot.now
    foot.pass(until: 40_000)
    #expect(foot.reading.activity == .empty)
  }

  /// A foot with a loop of 8000 frames that plays with a layer, quantized to the bar.
  private func layered() -> Foot {
    let foot = Foot()
    for (frame, action) in [(8000, LoopAction.recordOn), (16_000, .recordOn), (17_000, .overdub)] {
      foot.send(action, at: frame)
    }
    foot.send(.overdub, at: 19_000)
    foot.pass(until: 20_500)
    foot.set(.quantize, 2)
    #expect(foot.reading.overdubs == 1 && foot.reading.activity == .playing)
    return foot
  }

  @Test(arguments: [600, 1200])
  func `a double press undoes the previous layer, and what the first press queued`(gap: Int) {
    let foot = layered()
    // The bar at 24,000 is after the second press, or between the two.
    foot.press(.note, at: 23_100, for: 240)
    foot.press(.note, at: 23_100 + gap, for: 240)
    foot.pass(until: 33_000)
    #expect(foot.reading.pending == nil && foot.reading.activity == .playing)
    #expect(foot.reading.overdubs == 0 && foot.reading.length == 8000)
  }

  @Test func `a double press during an overdub undoes it, and queues no other`() {
    let foot = layered()
    foot.press(.note, at: 23_100, for: 240)
    foot.pass(until: 29_000)
    #expect(foot.reading.activity == .overdubbing && foot.reading.overdubs == 2)
    foot.press(.note, at: 29_100, for: 240)
    foot.press(.note, at: 30_100, for: 240)
    foot.pass(until: 37_000)
    #expect(foot.reading.pending == nil && foot.reading.activity == .playing)
    #expect(foot.reading.overdubs == 1)
  }

  @Test func `a long press stops the loop, and cancels what the press queued`() {
    let foot = layered()
    foot.press(.key, at: 20_600, for: 7000)
    foot.pass(until: 36_000)
    #expect(foot.reading.pending == nil && foot.reading.activity == .stopped)
    #expect(foot.reading.overdubs == 1)
    // A long press on a stopped loop clears it, although the press queued playback.
    foot.press(.key, at: 36_100, for: 7000)
    foot.pass(until: 44_000)
    #expect(foot.reading.pending == nil && foot.reading.activity == .empty)
  }

  @Test(arguments: [LoopAction.release, .redo, .rewind, .forward])
  func `actions unrelated to the queue leave it`(action: LoopAction) {
    let foot = layered()
    if action == .redo { foot.send(.undo, at: 20_550) }
    foot.send(.overdub, at: 20_600)
    foot.send(action, at: 20_800)
    foot.pass(until: 20_900)
    #expect(foot.reading.pending == .overdub)
    foot.pass(until: 24_100)
    #expect(foot.reading.activity == .overdubbing)
  }

  /// Actions that wait for the bar, by the state that they wait in.
  private static let waiting: [(state: LoopActivity, action: LoopAction)] = [
    (.empty, .record), (.empty, .recordOn),
    (.recording, .record), (.recording, .recordOn), (.recording, .stop), (.recording, .play),
    (.recording, .overdub), (.recording, .replace), (.recording, .substitute),
    (.playing, .recordOn), (.playing, .once), (.playing, .overdub), (.playing, .replace),
    (.playing, .substitute), (.playing, .multiply), (.playing, .insert),
    (.overdubbing, .recordOn), (.overdubbing, .once),
    (.stopped, .play), (.stopped, .once), (.stopped, .record), (.stopped, .recordOn),
  ]

  @Test(arguments: waiting, [LoopAction.undo, .cancel])
  func `undo cancels the queued action, and changes nothing else`(
    case: (state: LoopActivity, action: LoopAction), action: LoopAction
  ) {
    let isEmpty = [.empty, .recording].contains(`case`.state)
    let foot = isEmpty ? Foot() : layered()
    switch `case`.state {
    case .recording: foot.send(.recordOn, at: 20_510)
    case .overdubbing:
      foot.set(.quantize, 0)
      foot.send(.overdub, at: 20_510)
    case .stopped: foot.send(.stop, at: 20_510)
    default: break
    }
    foot.pass(until: 20_550)
    foot.set(.quantize, 2)
    foot.send(`case`.action, at: 20_600)
    foot.pass(until: 20_700)
    let before = foot.reading
    #expect(before.pending == `case`.action && before.activity == `case`.state, "\(`case`)")
    foot.send(action, at: 20_700)
    foot.pass(until: 20_800)
    #expect(foot.reading.pending == nil && foot.reading.activityToCome == nil, "\(`case`)")
    // Past the bar, and the one after it.
    foot.pass(until: 30_000)
    let after = foot.reading
    #expect(after.pending == nil && after.activity == `case`.state, "\(`case`)")
    #expect(after.stepsBack == before.stepsBack && after.stepsForth == before.stepsForth)
    if `case`.state != .recording { #expect(after.length == before.length) }
    if `case`.state == .playing {
      // A second one takes back the last layer.
      foot.send(.undo, at: 30_100)
      foot.pass(until: 30_200)
      #expect(foot.reading.overdubs == 0 && foot.reading.stepsForth == 1)
      #expect(foot.reading.activity == .playing && foot.reading.length == before.length)
    }
  }

  @Test func `undo cancels an action that waits for a count-in, or for sound`() {
    for isCounted in [false, true] {
      let foot = Foot()
      foot.set(.beat(.countIn), isCounted ? 2 : 0)
      if !isCounted { foot.set(.threshold, -20) }
      foot.send(.recordOn, at: 8030)
      foot.pass(until: 12_000)
      #expect(foot.reading.pending == .recordOn)
      foot.send(.undo, at: 12_000)
      foot.loudFrom = 12_100
      foot.pass(until: 40_000)
      #expect(foot.reading.pending == nil && foot.reading.activity == .empty)
    }
  }

  @Test func `a redo that empties the loop cancels what waited for it`() {
    let foot = layered()
    foot.send(.clear, at: 20_510)
    foot.send(.undo, at: 20_520)
    foot.send(.overdub, at: 20_600)
    foot.pass(until: 20_700)
    #expect(foot.reading.pending == .overdub)
    foot.send(.redo, at: 20_700)
    foot.pass(until: 20_800)
    #expect(foot.reading.pending == nil && foot.reading.activity == .empty)
  }

  @Test func `more taps while a recording is queued are no double press`() {
    let foot = Foot()
    foot.set(.beat(.countIn), 4)
    for frame in [8030, 12_000, 13_000, 16_000, 17_000] { foot.press(.note, at: frame, for: 240) }
    foot.pass(until: 20_000)
    #expect(foot.reading.pending == .recordOn)
    foot.pass(until: 8030 + 4 * Foot.bar + 100)
    #expect(foot.reading.activity == .recording && foot.reading.length == 100)
  }

  @Test(arguments: [LoopAction.stop, .pause, .done, .clear, .cancel])
  func `actions that override the queued one empty the queue`(action: LoopAction) {
    let foot = layered()
    foot.send(.overdub, at: 20_600)
    foot.send(action, at: 20_700)
    foot.pass(until: 28_000)
    #expect(foot.reading.pending == nil && foot.reading.activity != .overdubbing)
  }

  @Test func `undo removes an overdub whose end is queued, and cancels the end`() {
    let foot = layered()
    foot.send(.overdub, at: 20_600)
    foot.send(.overdub, at: 25_000)
    foot.send(.undo, at: 26_000)
    foot.pass(until: 36_000)
    #expect(foot.reading.pending == nil && foot.reading.activity == .playing)
    #expect(foot.reading.overdubs == 1)
  }

  @Test func `retroactive recording replaces the queued action`() {
    let foot = Foot()
    foot.set(.beat(.countIn), 4)
    foot.send(.recordOn, at: 8030)
    foot.loudFrom = 8000
    foot.pass(until: 12_000)
    #expect(foot.reading.pending == .recordOn)
    foot.host.send(Command(.keep(0.25, isBars: false, loop: 1)))
    foot.pass(until: 60_000)
    #expect(foot.reading.pending == nil && foot.reading.activity == .playing)
    #expect(foot.reading.length == 2000)
  }
}
