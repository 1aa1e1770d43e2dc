import TestSupport
import Testing

@testable import Engine

/// Pedal presses in the engine, to the frame.
@Suite struct PressTests {
  private typealias Message = OfflineHost.MIDIMessage

  private func silence(_ frames: Int) -> [Float] { Tone.constant(0, frames: frames) }

  private let note = Trigger(.note, 60)!

  /// A mapping whose presses set distinct values.
  private func entry(
    _ trigger: Trigger, short: Parameter? = nil, long: Parameter? = nil, double: Parameter? = nil
  ) -> PressMap.Entry {
    var entry = PressMap.Entry(trigger)
    func actions(_ parameter: Parameter?, _ press: UInt8, _ number: UInt16) -> [BoundAction] {
      guard let parameter else { return [] }
      entry.presses |= press
      return [BoundAction(binding: number, .toggle(parameter, 1, 0))]
    }
    entry.short = actions(short, PressBits.short, 1)
    entry.long = actions(long, PressBits.long, 2)
    entry.double = actions(double, PressBits.double, 3)
    return entry
  }

  /// The actions performed since the last call: the number of each, and its frame.
  private func done(_ host: OfflineHost) -> [[Int64]] {
    var done: [[Int64]] = []
    // Press events after a command event are readable only after that event.
    _ = host.events()
    while let news = host.engine.shared.nextPress() {
      if case .answered(let binding, _) = news.kind { done.append([Int64(binding), news.frame]) }
    }
    return done
  }

  private func bind(_ host: OfflineHost, _ map: PressMap) {
    host.send(Command(.setPressMap(map.pointer)))
    _ = host.render(silence(64), block: 64)
    _ = host.events()
  }

  /// Presses and releases a note at frames from now, renders a second, and returns the performed
  /// actions with their frames.
  private func play(
    _ entry: PressMap.Entry, _ frames: [Int], block: Int = 64
  ) -> [[Int64]] {
    let host = OfflineHost()
    let map = PressMap([entry])
    bind(host, map)
    let start = host.frame
    host.midi = frames.enumerated().map { index, frame in
      (start + UInt32(frame), [0x90, 60, index % 2 == 0 ? 100 : 0])
    }
    _ = host.render(silence(72_000), block: block)
    withExtendedLifetime(map) {}
    return done(host).map { [$0[0], $0[1] - Int64(start)] }
  }

  @Test(arguments: [1, 64, 1000])
  func `a short press alone acts on its frame`(block: Int) {
    let pressed = play(
      entry(note, short: .mixer(.mute)), [77, 40_000, 50_001, 50_002], block: block)
    #expect(pressed == [[1, 77], [1, 50_001]])
  }

  @Test(arguments: [64, 1000])
  func `with a long press mapped, too, a short one acts on release`(block: Int) {
    let both = entry(note, short: .mixer(.mute), long: .echo(.on))
    #expect(play(both, [100, 5000], block: block) == [[1, 5000]])
    // Half a second is 24,000 frames.
    #expect(play(both, [100, 24_099], block: block) == [[1, 24_099]])
    #expect(play(both, [100, 24_101], block: block) == [[2, 24_100]])
    #expect(play(both, [100, 60_000], block: block) == [[2, 24_100]])
  }

  @Test func `with a double press mapped, too, a short one acts when no second one follows`() {
    let both = entry(note, short: .mixer(.mute), double: .echo(.on))
    // Three tenths of a second are 14,400 frames.
    #expect(play(both, [100, 200]) == [[1, 14_500]])
    #expect(play(both, [100, 30_000]) == [[1, 14_500]])
    #expect(play(both, [100, 200, 14_499, 14_600]) == [[3, 14_499]])
    #expect(play(both, [100, 200, 14_501, 14_600]) == [[1, 14_500], [1, 28_901]])
    // A third press is the first of another double press.
    #expect(play(both, [0, 10, 2000, 2010, 4000, 4010]) == [[3, 2000], [1, 18_400]])
  }

  @Test func `all three presses are distinguished`() {
    let all = entry(note, short: .mixer(.mute), long: .echo(.on), double: .reverb(.on))
    #expect(play(all, [0, 10]) == [[1, 14_400]])
    #expect(play(all, [0, 20_000]) == [[1, 20_000]])
    #expect(play(all, [0, 30_000]) == [[2, 24_000]])
    #expect(play(all, [0, 10, 9000, 60_000]) == [[3, 9000]])
  }

  @Test func `a pedal that is gone while it is down completes no press`() {
    let host = OfflineHost()
    let map = PressMap([entry(note, short: .mixer(.mute), long: .echo(.on), double: .reverb(.on))])
    bind(host, map)
    host.midi = [(host.frame, [0x90, 60, 100])]
    _ = host.render(silence(6400), block: 64)
    host.send(Command(.releaseMIDI))
    _ = host.render(silence(72_000), block: 64)
    #expect(done(host) == [])
    // Its next press counts.
    let start = host.frame
    host.midi = [(start, [0x90, 60, 100])]
    _ = host.render(silence(30_000), block: 64)
    #expect(done(host) == [[2, Int64(start) + 24_000]])
    withExtendedLifetime(map) {}
  }

  @Test func `a press without an action has no effect, whatever its trigger's other presses do`() {
    #expect(play(entry(note, long: .mixer(.mute)), [0, 100]) == [])
    #expect(play(entry(note, double: .mixer(.mute)), [0, 100]) == [])
  }

  @Test func `a mapped note makes no sound, and its release ends no other note`() {
    let host = OfflineHost(isPlayable: true)
    host.midi = [(host.frame, [0x90, 62, 100])]
    _ = host.render(silence(64), block: 64)
    let map = PressMap([
      entry(note, short: .mixer(.mute)), entry(Trigger(.note, 62)!, short: .echo(.on)),
    ])
    bind(host, map)
    host.midi = [(host.frame, [0x90, 60, 100])]
    _ = host.render(silence(64), block: 64)
    #expect(host.engine.shared.notes.level(of: .midi(60)) == 0)
    #expect(host.engine.shared.notes.level(of: .midi(62)) > 0)
    // A note that started before it was mapped is ended by its own release.
    host.midi = [(host.frame, [0x80, 60, 0]), (host.frame + 1, [0x80, 62, 0])]
    _ = host.render(silence(64), block: 64)
    #expect(host.engine.shared.notes.level(of: .midi(62)) == 0)
    #expect(done(host).map(\.[0]) == [1])
    withExtendedLifetime(map) {}
  }

  @Test func `a trigger that is being learned does nothing else, from press to release`() {
    let host = OfflineHost(isPlayable: true)
    host.send(Command(.learn(0b1111)))
    host.midi = [(host.frame + 5, [0x95, 60, 100]), (host.frame + 6, [0x90, 61, 100])]
    _ = host.render(silence(64), block: 64)
    _ = host.events()
    let news = host.engine.shared.nextPress()
    guard case .learnt(let trigger, let value, let channel) = news?.kind else {
      Issue.record("no trigger was learned")
      return
    }
    #expect(trigger == note && value == 100 && channel == 5)
    // Only the first one is reported, but the others have no effect either.
    #expect(host.engine.shared.nextPress()?.frame == nil)
    let map = PressMap([entry(note, short: .mixer(.mute))])
    host.send(Command(.setPressMap(map.pointer)), Command(.learn(0)))
    host.midi = [(host.frame + 5, [0x85, 60, 0])]
    _ = host.render(silence(64), block: 64)
    #expect(done(host) == [])
    #expect(host.engine.shared.notes.level(of: .midi(60)) == 0)
    #expect(host.engine.shared.notes.level(of: .midi(61)) == 0)
    _ = host.render(silence(1200), block: 64)
    host.midi = [(host.frame + 5, [0x90, 60, 1])]
    _ = host.render(silence(64), block: 64)
    #expect(done(host).count == 1)
    withExtendedLifetime(map) {}
  }

  @Test func `a controller is pressed at 64 and above, also by repeating its value`() {
    let host = OfflineHost()
    let map = PressMap([entry(Trigger(.controller, 64)!, short: .mixer(.mute))])
    bind(host, map)
    let start = Int64(host.frame)
    // The interval is longer than the bounce time.
    host.midi = [3, 63, 64, 90, 127, 70, 20, 100, 100, 0].enumerated().map { index, value in
      (host.frame + UInt32(1500 * index), [0xB0, 64, value])
    }
    _ = host.render(silence(15_000), block: 64)
    #expect(done(host).map { $0[1] - start } == [3000, 10_500, 12_000])
    withExtendedLifetime(map) {}
  }

  @Test func `program changes and keys are presses`() {
    let host = OfflineHost()
    let map = PressMap([
      entry(Trigger(.program, 3)!, short: .mixer(.mute), double: .echo(.on)),
      entry(Trigger(.key, 30)!, short: .reverb(.on), long: .mixer(.mute)),
    ])
    bind(host, map)
    let start = Int64(host.frame)
    host.midi = [(host.frame + 9, [0xC2, 3]), (host.frame + 2600, [0xC2, 3])]
    host.send(
      Command(.key(30, isDown: true), at: start + 50),
      Command(.key(30, isDown: false), at: start + 1290),
      Command(.key(30, isDown: true), at: start + 3100))
    _ = host.render(silence(30_000), block: 64)
    #expect(done(host).map { [$0[0], $0[1] - start] } == [[1, 1290], [3, 2600], [2, 27_100]])
    withExtendedLifetime(map) {}
  }

  @Test func `a toggle and a step start from the current value`() {
    let host = OfflineHost()
    var entry = PressMap.Entry(note)
    entry.presses = PressBits.short
    entry.short = [
      BoundAction(binding: 7, .toggle(.mixer(.mute), 1, 0)),
      BoundAction(binding: 8, .step(.mixer(.liveRoute), by: -1, of: 3)),
    ]
    let map = PressMap([entry])
    bind(host, map)
    var told: [Float] = []
    for _ in 0..<3 {
      host.midi = [(host.frame, [0x90, 60, 9]), (host.frame + 1, [0x80, 60, 9])]
      _ = host.render(silence(1536), block: 64)
      while let news = host.engine.shared.nextPress() {
        if case .answered(_, .applied(_, let value)) = news.kind { told.append(value) }
      }
    }
    #expect(told == [1, 2, 0, 1, 1, 0])
    withExtendedLifetime(map) {}
  }

  @Test func `a press that the player refuses is reported as refused`() {
    let host = OfflineHost()
    var entry = PressMap.Entry(note)
    entry.presses = PressBits.short
    entry.short = [BoundAction(binding: 7, .command(.loop(.undo)))]
    let map = PressMap([entry])
    bind(host, map)
    host.midi = [(host.frame, [0x90, 60, 9])]
    _ = host.render(silence(64), block: 64)
    guard case .answered(7, .refused(.nothingToUndo)) = host.engine.shared.nextPress()?.kind else {
      Issue.record("it was not refused")
      return
    }
    // No command was answered, since none was sent.
    #expect(host.events().isEmpty)
    withExtendedLifetime(map) {}
  }

  @Test func `press events are reported in order among the events of commands`() {
    let host = OfflineHost()
    let map = PressMap([entry(note, short: .mixer(.mute))])
    bind(host, map)
    let start = Int64(host.frame)
    host.midi = [(host.frame + 20, [0x90, 60, 9])]
    host.send(
      Command(.set(.mixer(.mute), 1), at: start + 10),
      Command(.set(.mixer(.mute), 1), at: start + 30))
    _ = host.render(silence(64), block: 64)
    #expect(host.engine.shared.nextPress()?.frame == nil)
    #expect(host.engine.shared.nextEvent() != nil)
    guard case .answered(1, .applied(_, 0)) = host.engine.shared.nextPress()?.kind else {
      Issue.record("the press is not reported after the first command")
      return
    }
    #expect(host.engine.shared.nextEvent() != nil)
    host.engine.shared.commands.returnCredits(2)
    withExtendedLifetime(map) {}
  }

  @Test func `presses beyond the capacity of the queue are dropped and counted`() {
    let host = OfflineHost()
    // Three actions for each of 128 notes, all on one frame.
    let map = PressMap(
      (0..<128).map { number in
        var entry = PressMap.Entry(Trigger(.note, number)!)
        entry.presses = PressBits.short
        entry.short = (1...3).map { BoundAction(binding: $0, .toggle(.mixer(.mute), 1, 0)) }
        return entry
      })
    bind(host, map)
    host.midi = (0..<256).map { index in
      (host.frame, [0x90, UInt8(index / 2), index % 2 == 0 ? 9 : 0])
    }
    _ = host.render(silence(64), block: 64)
    #expect(host.engine.shared.presses.lostCount == 384 - 256)
    #expect(done(host).count == 256)
    withExtendedLifetime(map) {}
  }

  @Test(arguments: [64, 1000])
  func `forty presses by foot equal commands on the same frames, sample by sample`(
    block: Int
  ) {
    var random: UInt32 = 7
    func next(_ count: Int) -> Int {
      random = random &* 1_664_525 &+ 1_013_904_223
      return Int(random >> 8) % count
    }
    // Mostly short presses, with some long and some double ones.
    var presses: [(down: Int, up: Int, note: UInt8)] = []
    var frame = 500
    for _ in 0..<40 {
      let held = next(6) == 0 ? 40_000 : 2000 + next(3000)
      presses.append((frame, frame + held, next(3) == 0 ? 61 : 60))
      frame += held + (next(5) == 0 ? 3000 : 10_000 + next(20_000))
    }
    let sound = Tone.sine(330, amplitude: 0.2, frames: frame + 20_000)
    func actions(_ note: UInt8) -> (LoopAction, LoopAction) {
      note == 60 ? (.press, .release) : (.undo, .cancel)
    }
    func play(_ prepare: (OfflineHost) -> Void) -> OfflineHost.Output {
      let host = OfflineHost()
      host.send(Command(.set(.loop(.route), 1)))
      _ = host.render(silence(64), block: 64)
      prepare(host)
      var output = host.render(Array(sound[..<4000]), block: block, isFreewheeling: true)
      output.left +=
        host.render(
          Array(sound[4000...]), block: block, isFreewheeling: true
        ).left
      return output
    }
    var entries: [PressMap.Entry] = []
    for note in [60, 61] as [UInt8] {
      var entry = PressMap.Entry(Trigger(.note, Int(note))!)
      entry.presses = PressBits.down | PressBits.up
      entry.down = [BoundAction(binding: 1, .command(.loop(actions(note).0)))]
      entry.up = [BoundAction(binding: 2, .command(.loop(actions(note).1)))]
      entries.append(entry)
    }
    let map = PressMap(entries)
    let byFoot = play { host in
      host.send(Command(.setPressMap(map.pointer)))
      _ = host.render(silence(64), block: 64)
      for press in presses {
        host.midi.append((host.frame + UInt32(press.down), [0x90, press.note, 100]))
        host.midi.append((host.frame + UInt32(press.up), [0x80, press.note, 0]))
      }
    }
    let byCommand = play { host in
      _ = host.render(silence(64), block: 64)
      let start = Int64(host.frame)
      for press in presses {
        host.send(
          Command(.loop(actions(press.note).0), at: start + Int64(press.down)),
          Command(.loop(actions(press.note).1), at: start + Int64(press.up)))
      }
    }
    #expect(Measure.firstDifference(byFoot.left, byCommand.left) == nil)
    #expect(byFoot.loop.contains { $0 != 0 } || byFoot.left.contains { $0 != 0 })
    withExtendedLifetime(map) {}
  }

  @Test(arguments: [1, 64, 1000])
  func `presses of a bouncing switch count once, and a long press is recognized`(block: Int) {
    // 25 ms are 1200 frames. The switch is closed at 0, bounces twice, opens at 5000, and is
    // pressed again.
    let short = [0, 200, 300, 700, 1100, 5000, 9000, 9900]
    #expect(play(entry(note, short: .mixer(.mute)), short, block: block) == [[1, 0], [1, 9000]])
    let both = entry(note, short: .mixer(.mute), long: .echo(.on))
    #expect(play(both, [0, 200, 300, 5000], block: block) == [[1, 5000]])
    #expect(play(both, [0, 200, 300, 40_000], block: block) == [[2, 24_000]])
    // A release within the bounce time counts when that has passed.
    #expect(play(both, [0, 200, 300, 900], block: block) == [[1, 1200]])
    let double = entry(note, short: .mixer(.mute), double: .echo(.on))
    #expect(play(double, [0, 100, 1199, 1250], block: block) == [[1, 14_400]])
    #expect(play(double, [0, 100, 1300, 1350], block: block) == [[3, 1300]])
    // It bounces when it opens, too.
    #expect(play(double, [0, 4800, 4848, 4896], block: block) == [[1, 14_400]])
    #expect(
      play(entry(note, short: .mixer(.mute)), [0, 4800, 4848, 4896, 9000, 9100], block: block)
        == [[1, 0], [1, 9000]])
  }

  @Test func `the durations of long and double presses can be set`() {
    for (long, double) in [(Float(0.2), Float(0.1)), (2, 1)] {
      let host = OfflineHost()
      let map = PressMap([
        entry(note, short: .mixer(.mute), long: .echo(.on), double: .reverb(.on))
      ])
      host.send(
        Command(.set(.press(.long), long)), Command(.set(.press(.double), double)))
      bind(host, map)
      let start = host.frame
      host.midi = [
        (start, [0x90, 60, 9]), (start + 100, [0x80, 60, 9]), (start + 100_000, [0x90, 60, 9]),
      ]
      _ = host.render(silence(200_000), block: 64)
      #expect(
        done(host).map { [$0[0], $0[1] - Int64(start)] }
          == [[1, Int64(double * 48_000)], [2, 100_000 + Int64(long * 48_000)]])
      withExtendedLifetime(map) {}
    }
  }

  @Test func `all triggers are released when the server is replaced`() {
    let host = OfflineHost()
    let map = PressMap([entry(note, short: .mixer(.mute), long: .echo(.on))])
    bind(host, map)
    host.midi = [(host.frame, [0x90, 60, 9])]
    _ = host.render(silence(64), block: 64)
    let next = OfflineHost(takingOver: host.engine, sampleRate: 44_100)
    _ = next.render(silence(44_100), block: 64)
    #expect(done(next) == [])
    // Half a second at the new rate.
    let start = Int64(next.frame)
    next.midi = [(next.frame, [0x90, 60, 9])]
    _ = next.render(silence(44_100), block: 64)
    #expect(done(next).map { $0[1] & 0xFFFF_FFFF } == [start + 22_050])
    withExtendedLifetime(map) {}
  }
}
