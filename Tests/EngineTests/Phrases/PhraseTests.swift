import Engine
import TestSupport
import Testing

/// Phrases: notes recorded and played back to the frame.
@Suite struct PhraseTests {
  /// A host with a phrase, whose memory it retains.
  private final class Stage {
    let host: OfflineHost
    let memory: PhraseMemory
    private let block: Int
    private let isFreewheeling: Bool
    /// The number of frames rendered.
    private(set) var frame = 0

    init(
      block: Int = 64, sampleRate: Double = 48_000, mostTouches: Int = 4096,
      isFreewheeling: Bool = false
    ) {
      self.block = block
      self.isFreewheeling = isFreewheeling
      host = OfflineHost(sampleRate: sampleRate, isPlayable: true)
      memory = PhraseMemory(mostTouches: mostTouches, seconds: 10)
    }

    /// Sends a command for a frame relative to the current one.
    func send(_ action: Command.Action, in frames: Int = 0) {
      host.send(Command(action, at: Int64(host.frame) + Int64(frames)))
    }

    func on(_ finger: Finger, velocity: Float = 0.5, in frames: Int = 0) {
      let start = NoteStart(
        finger: finger, key: UInt8(finger.number & 127), cents: 6900, velocity: velocity)
      send(.note(.on(start)), in: frames)
    }

    func off(_ finger: Finger, in frames: Int = 0) { send(.note(.off(finger)), in: frames) }

    func pass(_ frames: Int) {
      _ = host.render(
        Tone.constant(0, frames: frames), block: block, isFreewheeling: isFreewheeling)
      _ = host.events()
      frame += frames
    }

    func level(_ finger: Finger) -> Float { host.engine.shared.notes.level(of: finger) }

    /// The relative frames at which the playback finger for a finger changes, rendered in steps.
    func changes(_ finger: Finger, frames: Int, step: Int = 1) -> [Int] {
      var changes: [Int] = []
      var last = level(finger.repeated())
      for frame in stride(from: 0, to: frames, by: step) {
        pass(step)
        let level = level(finger.repeated())
        if level != last { changes.append(frame) }
        last = level
      }
      return changes
    }

    var events: [PhraseEvent] { (0..<memory.eventCount).map(memory.event) }
  }

  @Test(arguments: [1, 64, 333, 2048], [false, true])
  func `notes are recorded on their frames`(block: Int, isFreewheeling: Bool) {
    let stage = Stage(block: block, isFreewheeling: isFreewheeling)
    stage.send(.recordPhrase(stage.memory.pointer), in: 100)
    stage.on(.cell(3), in: 40)
    stage.on(.cell(4), velocity: 0.25, in: 357)
    stage.on(.midi(60), in: 1000)
    stage.off(.cell(3), in: 1500)
    stage.off(.cell(4), in: 2100)
    // Restarted while held. Playback itself is not recorded.
    stage.on(.midi(60), in: 3000)
    stage.on(Finger.midi(61).repeated(), in: 3100)
    stage.send(.stopPhrase, in: 4100)
    stage.pass(5000)
    #expect(stage.events.map(\.frame) == [257, 900, 2000, 2900, 4000])
    #expect(stage.events.map(\.isTouch) == [true, true, false, true, false])
    #expect(
      stage.events.map(\.note.finger.number)
        == [Finger.cell(4), .midi(60), .cell(4), .midi(60), .midi(60)].map(\.number))
    #expect(stage.events[0].note.velocity == 0.25)
    #expect(stage.memory.touches == 3 && stage.memory.state == .stopped)
    #expect(stage.memory.length == 4000.0 / 48_000)
  }

  @Test(arguments: [1, 64, 333])
  func `a phrase is played on its frames, and ends on its own`(block: Int) {
    let stage = Stage(block: block)
    stage.send(.recordPhrase(stage.memory.pointer))
    stage.on(.cell(4), in: 0)
    stage.off(.cell(4), in: 100)
    stage.on(.cell(4), in: 300)
    stage.off(.cell(4), in: 777)
    stage.send(.stopPhrase, in: 1000)
    stage.pass(1000)
    stage.send(.playPhrase, in: 50)
    #expect(stage.changes(.cell(4), frames: 1040) == [50, 150, 350, 827])
    #expect(stage.memory.state == .playing)
    // Notes played by hand are unaffected.
    #expect(stage.level(.cell(4)) == 0)
    stage.pass(20)
    #expect(stage.memory.state == .stopped)
  }

  @Test(arguments: [1, 64, 333])
  func `where asked, a phrase is played at the speed of the tempo`(block: Int) {
    let stage = Stage(block: block)
    // Recorded at 120 beats per minute: notes of a quarter of a beat on four beats.
    stage.send(.recordPhrase(stage.memory.pointer))
    for beat in 0..<4 {
      stage.on(.cell(4), in: beat * 24_000)
      stage.off(.cell(4), in: beat * 24_000 + 6000)
    }
    stage.send(.stopPhrase, in: 96_000)
    stage.pass(96_000)
    stage.send(.set(.beat(.tempo), 90))
    stage.send(.playPhrase)
    #expect(stage.changes(.cell(4), frames: 30_000).first == 0)
    stage.send(.stopPhrase)
    stage.pass(block)
    // Off, it is played as it was recorded.
    #expect(stage.changes(.cell(4), frames: 96_000).isEmpty)
    stage.send(.playPhrase)
    #expect(
      stage.changes(.cell(4), frames: 97_000)
        == (0..<4).flatMap { [$0 * 24_000, $0 * 24_000 + 6000] })
    stage.send(.set(.notes(.phraseFollow), 1))
    stage.send(.playPhrase)
    #expect(
      stage.changes(.cell(4), frames: 128_100)
        == (0..<4).flatMap { [$0 * 32_000, $0 * 32_000 + 8000] })
    #expect(stage.memory.state == .stopped)
    // Two beats at 90, the others at 240, from the frame of the change on.
    stage.send(.playPhrase)
    stage.send(.set(.beat(.tempo), 240), in: 64_000)
    #expect(
      stage.changes(.cell(4), frames: 88_100)
        == [0, 8000, 32_000, 40_000, 64_000, 67_000, 76_000, 79_000])
    #expect(stage.memory.state == .stopped)
  }

  @Test func `sounding notes end with it, and its time starts with the record press`() {
    let stage = Stage(block: 480)
    stage.send(.recordPhrase(stage.memory.pointer))
    stage.on(.cell(1), in: 479_999)
    stage.off(.cell(1), in: 480_010)
    stage.on(.cell(2), in: 480_000)
    stage.pass(470_000)
    #expect(stage.memory.state == .recording)
    #expect(abs(stage.memory.position - 470_000 / 48_000.0) < 1e-9)
    stage.pass(20_000)
    #expect(stage.memory.state == .stopped && stage.memory.length == 10)
    #expect(stage.events.map(\.frame) == [479_999, 480_000])
    #expect(stage.memory.touches == 1)
  }

  @Test func `stopped, its notes end on that frame`() {
    let stage = Stage()
    stage.send(.recordPhrase(stage.memory.pointer))
    for number in 0..<50 { stage.on(.cell(number), in: 10) }
    stage.send(.playPhrase, in: 1000)
    stage.pass(1500)
    let all = (0..<50).map { Finger.cell($0).repeated() }
    #expect(all.allSatisfy { stage.level($0) == 0.5 })
    stage.send(.stopPhrase, in: 100)
    stage.pass(100)
    #expect(all.allSatisfy { stage.level($0) == 0.5 })
    stage.pass(1)
    #expect(all.allSatisfy { stage.level($0) == 0 })
    #expect((0..<50).allSatisfy { stage.level(.cell($0)) == 0.5 })
    // And again from the start, with all recorded notes.
    stage.send(.playPhrase)
    stage.pass(11)
    #expect(all.allSatisfy { stage.level($0) == 0.5 })
    stage.send(.playPhrase)
    stage.pass(5)
    #expect(all.allSatisfy { stage.level($0) == 0 })
  }

  @Test func `an empty phrase can't be played`() {
    let host = OfflineHost(isPlayable: true)
    let memory = PhraseMemory(mostTouches: 16, seconds: 10)
    func refusals() -> Int {
      _ = host.render(Tone.constant(0, frames: 64), block: 64)
      return host.events().count {
        if case .refused(.nothingRecorded) = $0.kind { true } else { false }
      }
    }
    host.send(Command(.playPhrase))
    #expect(refusals() == 1)
    host.send(Command(.recordPhrase(memory.pointer)))
    host.send(Command(.playPhrase))
    #expect(refusals() == 1)
    #expect(memory.state == .stopped)
  }

  @Test func `the next recording replaces the phrase at once`() {
    let stage = Stage()
    stage.send(.recordPhrase(stage.memory.pointer))
    stage.on(.cell(1))
    stage.send(.playPhrase, in: 100)
    stage.pass(150)
    #expect(stage.level(Finger.cell(1).repeated()) == 0.5)
    let other = PhraseMemory(mostTouches: 16, seconds: 10)
    stage.send(.recordPhrase(other.pointer))
    stage.on(.cell(2), in: 5)
    stage.pass(64)
    #expect(stage.level(Finger.cell(1).repeated()) == 0)
    #expect(stage.memory.state == .stopped && other.state == .recording && other.touches == 1)
  }

  @Test func `a full memory records no more notes, and ends those that it has`() {
    let stage = Stage(mostTouches: 8)
    stage.send(.recordPhrase(stage.memory.pointer))
    for number in 0..<20 { stage.on(.cell(number), in: number) }
    // The finger's next note is not recorded, but its previous one ends.
    stage.on(.cell(3), in: 50)
    stage.send(.note(.allOff), in: 60)
    stage.pass(100)
    #expect(stage.memory.touches == 8 && stage.memory.eventCount == 16)
    #expect(stage.events[8...].map(\.frame) == [50] + Array(repeating: 60, count: 7))
  }

  @Test func `at another rate its length in seconds is the same`() {
    let stage = Stage()
    stage.send(.recordPhrase(stage.memory.pointer))
    stage.on(.cell(4), in: 4800)
    stage.off(.cell(4), in: 9600)
    stage.send(.stopPhrase, in: 14_400)
    stage.pass(14_464)
    let other = OfflineHost(takingOver: stage.host.engine, sampleRate: 96_000)
    other.send(Command(.playPhrase, at: Int64(other.frame)))
    let finger = Finger.cell(4).repeated()
    func level() -> Float { other.engine.shared.notes.level(of: finger) }
    func pass(_ frames: Int) { _ = other.render(Tone.constant(0, frames: frames), block: 64) }
    // The host's frame count restarted with it.
    pass(9600)
    #expect(level() == 0)
    pass(1)
    #expect(level() == 0.5)
    pass(9599)
    #expect(level() == 0.5)
    pass(1)
    #expect(level() == 0)
    #expect(stage.memory.length == 0.3)
  }

  @Test func `a recording continues under another driver, and ends at another rate`() {
    let stage = Stage()
    stage.send(.recordPhrase(stage.memory.pointer))
    stage.on(.cell(4), in: 100)
    stage.pass(1000)
    let other = OfflineHost(takingOver: stage.host.engine, sampleRate: 48_000)
    #expect(stage.memory.state == .recording)
    _ = other.render(Tone.constant(0, frames: 936), block: 64)
    #expect(abs(stage.memory.position - 2000.0 / 48_000) < 1e-9)
    _ = OfflineHost(takingOver: stage.host.engine, sampleRate: 44_100)
    #expect(stage.memory.state == .stopped)
    #expect(stage.events.map(\.isTouch) == [true, false])
    #expect(stage.events[1].frame == 2000)
  }

  @Test(arguments: [48_000.0, 96_000])
  func `under another driver it plays on in time, without the notes that were due before`(
    rate: Double
  ) {
    let stage = Stage()
    stage.send(.recordPhrase(stage.memory.pointer))
    for (cell, start) in [(4, 4800), (5, 9600), (6, 24_000)] {
      stage.on(.cell(cell), in: start)
      stage.off(.cell(cell), in: start + 2400)
    }
    stage.send(.stopPhrase, in: 28_800)
    stage.pass(28_864)
    stage.send(.playPhrase)
    stage.pass(4000)
    let other = OfflineHost(takingOver: stage.host, sampleRate: rate, after: 0.3)
    func level(_ cell: Int) -> Float {
      other.engine.shared.notes.level(of: .cell(cell).repeated())
    }
    func pass(_ seconds: Double) {
      _ = other.render(Tone.constant(0, frames: Int(seconds * rate)), block: 64)
    }
    pass(0.01)
    #expect(stage.memory.state == .playing && level(4) == 0 && level(5) == 0)
    // At 0.383 s of the phrase.
    pass(0.1)
    #expect(level(6) == 0)
    pass(0.03)
    #expect(level(6) > 0)
    pass(0.1)
    #expect(level(6) == 0 && stage.memory.state == .stopped)
  }
}
