import DSP
import TestSupport
import Testing

@testable import Engine

/// MIDI input and output of the engine, to the frame.
@Suite struct MIDITests {
  private typealias Message = OfflineHost.MIDIMessage

  private func silence(_ frames: Int) -> [Float] { Tone.constant(0, frames: frames) }

  private func on(_ finger: Finger, _ key: UInt8, _ velocity: Float = 0.5) -> Command.Action {
    .note(.on(NoteStart(finger: finger, key: key, cents: Float(key) * 100, velocity: velocity)))
  }

  private func level(_ host: OfflineHost, _ key: UInt8) -> Float {
    host.engine.shared.notes.level(of: .midi(key))
  }

  // MARK: - Input

  @Test(arguments: [1, 64, 1000])
  func `a key is pressed and released on its frame, on any channel`(block: Int) {
    let host = OfflineHost(isPlayable: true)
    let start = host.frame
    host.midi = [(start + 77, [0x93, 60, 127]), (start + 130, [0x8F, 60, 0])]
    _ = host.render(silence(77), block: block)
    #expect(level(host, 60) == 0)
    _ = host.render(silence(1), block: block)
    #expect(level(host, 60) == 1)
    _ = host.render(silence(52), block: block)
    #expect(level(host, 60) == 1)
    _ = host.render(silence(1), block: block)
    #expect(level(host, 60) == 0)
  }

  @Test func `a note-on without velocity is a note-off`() {
    let host = OfflineHost(isPlayable: true)
    host.midi = [(host.frame, [0x90, 60, 100]), (host.frame + 10, [0x90, 60, 0])]
    _ = host.render(silence(64), block: 64)
    #expect(level(host, 60) == 0)
  }

  @Test func `incoming notes are not echoed`() {
    let host = OfflineHost(isPlayable: true)
    host.midi = [(host.frame, [0x90, 60, 100]), (host.frame + 100, [0x80, 60, 0])]
    #expect(host.render(silence(256), block: 64).midi.isEmpty)
  }

  @Test func `unknown bytes have no effect`() {
    let host = OfflineHost(isPlayable: true)
    for status in 0x80...0xFF as ClosedRange<UInt8> where status & 0xF0 != 0x90 {
      for data: UInt8 in [0, 64, 127, 128, 255] {
        host.midi = [(host.frame, [status, data, data])]
        _ = host.render(silence(16), block: 16)
      }
    }
    #expect((0..<128).allSatisfy { level(host, $0) == 0 })
  }

  @Test func `what a device held ends when it is gone, but not the notes of the grid`() {
    let host = OfflineHost(isPlayable: true)
    host.send(Command(on(.cell(3), 50)))
    // The last one is sustained, and bent.
    host.midi = [
      (host.frame, [0x90, 60, 127]), (host.frame, [0xB0, 64, 127]), (host.frame, [0x90, 62, 127]),
      (host.frame, [0x80, 62, 0]), (host.frame, [0xE0, 127, 127]),
    ]
    _ = host.render(silence(64), block: 64)
    #expect(level(host, 60) == 1 && level(host, 62) == 1)
    host.send(Command(.releaseMIDI))
    let midi = host.render(silence(64), block: 64).midi
    #expect(level(host, 60) == 0 && level(host, 62) == 0)
    #expect(midi.isEmpty && host.engine.shared.notes.level(of: .cell(3)) == 0.5)
    // The pedal is up, and the wheel is centered, for the next keyboard.
    host.midi = [(host.frame, [0x90, 65, 127]), (host.frame + 10, [0x80, 65, 0])]
    _ = host.render(silence(64), block: 64)
    #expect(level(host, 65) == 0)
  }

  @Test func `all notes off and all sound off end all notes`() {
    for controller: UInt8 in [120, 123] {
      let host = OfflineHost(isPlayable: true)
      host.send(Command(on(.cell(3), 50)))
      host.midi = [(host.frame + 40, [0xB0, controller, 0])]
      let midi = host.render(silence(64), block: 64).midi
      #expect(midi == [Message(0, [0x90, 50, 64]), Message(40, [0x80, 50, 0])])
    }
  }

  // MARK: - Pitches

  private func start(_ inlet: inout MIDIInlet, _ key: UInt8) -> NoteStart? {
    if case .note(.on(let start)) = inlet.meaning(
      of: MIDIEvent(frame: 0, status: 0x90, first: key, second: 64))
    {
      return start
    }
    return nil
  }

  @Test func `keys have the pitches of the map, and their own without one`() {
    var inlet = MIDIInlet()
    #expect(start(&inlet, 61)?.cents == 6100)
    let map = KeyMap(
      snapped: (0..<128).map { Float($0 / 2 * 200) + 70 }, own: (0..<128).map { Float($0 * 100) })
    inlet.map = map.pointer
    let start = start(&inlet, 61)
    #expect(start?.cents == 6070)
    #expect(start?.key == 61)
    #expect(start?.finger.number == 61)
    inlet.snaps = false
    #expect(self.start(&inlet, 61)?.cents == 6100)
    withExtendedLifetime(map) {}
  }

  @Test func `the nearest key of a pitch beyond the map is the last one`() {
    var inlet = MIDIInlet()
    let map = KeyMap(
      snapped: (0..<128).map { $0 < 64 ? -500 : 20_000 }, own: (0..<128).map { Float($0 * 100) })
    inlet.map = map.pointer
    #expect(start(&inlet, 0)?.key == 0)
    #expect(start(&inlet, 127)?.key == 127)
    withExtendedLifetime(map) {}
  }

  @Test func `the wheel bends by its range, and at its center not at all`() {
    var inlet = MIDIInlet()
    func bend(_ low: UInt8, _ high: UInt8) -> Float? {
      if case .bend(let semitones) = inlet.meaning(
        of: MIDIEvent(frame: 0, status: 0xE5, first: low, second: high))
      {
        return semitones
      }
      return nil
    }
    #expect(bend(0, 64) == 0)
    #expect(bend(127, 127) == 2)
    #expect(bend(0, 0) == -2)
    inlet.bendRange = 12
    #expect(inlet.bend == -12)
    #expect(bend(0, 96) == Float(4096) / 8191 * 12)
  }

  // MARK: - Controllers

  @Test func `the latest value of a controller is published once`() {
    let host = OfflineHost(isPlayable: true)
    host.midi = [
      (host.frame, [0xB0, 7, 10]), (host.frame, [0xB0, 100, 1]), (host.frame + 1, [0xB3, 7, 20]),
    ]
    _ = host.render(silence(64), block: 64)
    #expect(host.engine.shared.controllers.takeMoved().map(\.controller) == [7, 100])
    host.midi = [(host.frame, [0xB0, 7, 20])]
    _ = host.render(silence(64), block: 64)
    // The value is unchanged.
    #expect(host.engine.shared.controllers.takeMoved().isEmpty)
    host.midi = [(host.frame, [0xB0, 7, 20]), (host.frame, [0xB0, 7, 21])]
    _ = host.render(silence(64), block: 64)
    #expect(host.engine.shared.controllers.takeMoved().map(\.value) == [21])
  }

  @Test func `a mapped controller ends no notes`() {
    let host = OfflineHost(isPlayable: true)
    host.engine.shared.controllers.bind([123])
    host.send(Command(on(.cell(3), 50)))
    host.midi = [(host.frame + 40, [0xB0, 123, 0])]
    #expect(host.render(silence(64), block: 64).midi == [Message(0, [0x90, 50, 64])])
  }

  @Test func `a sustain pedal that is down when it is mapped releases its keys`() {
    let host = OfflineHost(isPlayable: true)
    host.midi = [(host.frame, [0xB0, 64, 127]), (host.frame + 1, [0x90, 60, 100])]
    _ = host.render(silence(64), block: 64)
    host.engine.shared.controllers.bind([64])
    host.midi = [(host.frame, [0x80, 60, 0]), (host.frame + 1, [0xB0, 64, 0])]
    _ = host.render(silence(64), block: 64)
    #expect(level(host, 60) == 0)
    // During MIDI learn, controllers have no other effect.
    host.engine.shared.controllers.bind([], isLearning: true)
    host.midi = [
      (host.frame, [0xB0, 64, 127]), (host.frame + 1, [0x90, 60, 100]),
      (host.frame + 2, [0x80, 60, 0]),
    ]
    _ = host.render(silence(64), block: 64)
    #expect(level(host, 60) == 0)
  }

  @Test func `a key held when the server quits is released`() {
    let host = OfflineHost(isPlayable: true)
    host.midi = [(host.frame, [0x90, 60, 127]), (host.frame + 1, [0xB0, 64, 127])]
    _ = host.render(silence(64), block: 64)
    #expect(level(host, 60) == 1)
    let next = OfflineHost(takingOver: host.engine, sampleRate: 48_000)
    _ = next.render(silence(64), block: 64)
    #expect(level(next, 60) == 0)
  }

  // MARK: - Output

  @Test(arguments: [1, 64, 1000])
  func `notes played on the grid are sent on their frame`(block: Int) {
    let host = OfflineHost(isPlayable: true)
    let start = Int64(host.frame)
    host.send(
      Command(on(.cell(5), 60, 1), at: start + 100), Command(.note(.off(.cell(5))), at: start + 333)
    )
    let midi = host.render(silence(1024), block: block).midi
    #expect(midi == [Message(100, [0x90, 60, 127]), Message(333, [0x80, 60, 0])])
  }

  @Test func `a key held by two fingers ends with the last one`() {
    let host = OfflineHost(isPlayable: true)
    host.send(Command(on(.cell(1), 60)), Command(on(.key(60), 60, 0.001)))
    host.send(Command(.note(.off(.cell(1)))))
    // The second finger restarts it, at the lowest velocity of MIDI.
    #expect(
      host.render(silence(64), block: 64).midi.map(\.bytes) == [
        [0x90, 60, 64], [0x80, 60, 0], [0x90, 60, 1],
      ])
    host.send(Command(.note(.off(.key(60)))))
    #expect(host.render(silence(64), block: 64).midi.map(\.bytes) == [[0x80, 60, 0]])
  }

  @Test func `a finger's next note ends its previous one`() {
    let host = OfflineHost(isPlayable: true)
    host.send(Command(on(.cell(1), 60)), Command(on(.cell(1), 62)))
    #expect(
      host.render(silence(64), block: 64).midi.map(\.bytes) == [
        [0x90, 60, 64], [0x80, 60, 0], [0x90, 62, 64],
      ])
  }

  @Test func `a note ends on the channel on which it began`() {
    let host = OfflineHost(isPlayable: true)
    host.send(Command(on(.cell(1), 60)), Command(.set(.notes(.channel), 16)))
    host.send(Command(.note(.off(.cell(1)))), Command(on(.cell(1), 61)))
    #expect(
      host.render(silence(64), block: 64).midi.map(\.bytes) == [
        [0x90, 60, 64], [0x80, 60, 0], [0x9F, 61, 64],
      ])
  }

  @Test func `the node leaves no note on when it exits`() {
    let host = OfflineHost(isPlayable: true)
    host.send(Command(on(.cell(1), 60)), Command(on(.piano(2), 64)), Command(.leave))
    let midi = host.render(silence(64), block: 64).midi.map(\.bytes)
    #expect(midi.suffix(2) == [[0x80, 60, 0], [0x80, 64, 0]])
  }

  @Test func `messages that did not fit are sent in the next block`() {
    var outbox = MIDIOutbox()
    let buffers = Buffers()
    let block = MIDIBlock(in: buffers)
    defer { withExtendedLifetime(buffers) {} }
    outbox.begin(block)
    let start = NoteStart(finger: .cell(1), key: 60, cents: 6000, velocity: 1)
    outbox.tell(.on(start))
    while block.append(MIDIEvent(frame: 0, status: 0x90)) {}
    outbox.tell(.off(.cell(1)))
    #expect(block.count == MIDIBlock.capacity)
    outbox.begin(block)
    #expect(block.count == 1)
    #expect(block[0].status == 0x80 && block[0].first == 60)
  }

  @Test func `notes that ended without a listener are ended for the next one`() {
    var outbox = MIDIOutbox()
    let buffers = Buffers()
    let block = MIDIBlock(in: buffers)
    defer { withExtendedLifetime(buffers) {} }
    outbox.begin(block)
    outbox.tell(.on(NoteStart(finger: .cell(1), key: 60, cents: 6000, velocity: 1)))
    outbox.begin(nil)
    outbox.tell(.off(.cell(1)))
    outbox.tell(.on(NoteStart(finger: .cell(1), key: 70, cents: 7000, velocity: 1)))
    outbox.begin(nil)
    outbox.begin(block)
    #expect(block.count == 1)
    #expect(block[0].status == 0x80 && block[0].first == 60)
  }
}
