import DSP
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import Engine

/// Sessions, compared with the signals of the ports, bit for bit and to the frame.
@Suite struct SessionTapTests {
  private static let tracks = SessionTrack.all(loops: 4)

  /// All samples of a session: the left and the right ones of each track.
  private func drain(_ ring: SessionRing) -> [SessionTrack: (left: [Float], right: [Float])] {
    var sounds = Dictionary(
      uniqueKeysWithValues: ring.tracks.map { ($0, (left: [Float](), right: [Float]())) })
    while ring.take({ parts, frames in
      for (track, sound) in zip(ring.tracks, parts) {
        sounds[track]?.left += UnsafeBufferPointer(start: sound.left, count: frames)
        sounds[track]?.right += UnsafeBufferPointer(start: sound.right, count: frames)
      }
    }) {}
    return sounds
  }

  private func begin(_ ring: SessionRing, at frame: Int64 = Command.now) -> Command {
    Command(.session(ring.pointer), at: frame)
  }

  private func end(at frame: Int64 = Command.now) -> Command { Command(.session(nil), at: frame) }

  /// Plays a loop, a note, an echo and the metronome, and returns the output of all ports for a second.
  private func perform(_ host: OfflineHost, _ ring: SessionRing, block: Int) -> OfflineHost.Output {
    host.send(
      Command(.set(.echo(.on), 1)), Command(.set(.metronome(.on), 1)),
      Command(.loop(.recordOn, loop: 1)))
    _ = host.render(Tone.noise(amplitude: 0.3, frames: 24_000), block: 64)
    host.send(
      Command(.loop(.recordOn, loop: 1)),
      Command(.note(.on(NoteStart(finger: .cell(1), key: 60, cents: 6000, velocity: 0.8)))))
    _ = host.render(Tone.noise(amplitude: 0.3, frames: 24_000), block: 64)
    let start = Int64(host.frame)
    host.send(begin(ring, at: start + 100))
    host.send(end(at: start + 40_100))
    return host.render(
      Tone.noise(amplitude: 0.3, frames: 48_000), right: Tone.noise(frames: 48_000, seed: 2),
      block: block)
  }

  @Test(arguments: [16, 64, 333, 1024])
  func `all ports are recorded between two frames, bit for bit`(block: Int) throws {
    let host = OfflineHost(isPlayable: true)
    let ring = SessionRing(rate: 48_000, loops: 4)
    let output = perform(host, ring, block: block)
    #expect(ring.state == .ended && ring.frames == 40_000)
    let sounds = drain(ring)
    let span = 100..<40_100
    #expect(sounds.values.allSatisfy { $0.left.count == 40_000 && $0.right.count == 40_000 })
    for (track, heard) in [
      (.output, output.left), (.live, output.live), (.loop(1), output.loops[1]),
      (.click, output.click), (.harmony, output.harmony.left),
    ] as [(SessionTrack, [Float])] {
      let kept = try #require(sounds[track]).left
      #expect(Measure.firstDifference(kept, Array(heard[span])) == nil, "\(track)")
    }
    #expect(
      Measure.firstDifference(
        try #require(sounds[.input]).right, Array(Tone.noise(frames: 48_000, seed: 2)[span])) == nil
    )
    for track in [SessionTrack.input, .output, .live, .grid, .click, .loop(1)] {
      #expect(Measure.peak(try #require(sounds[track]).left) > 0.01, "\(track) has sound")
    }
    #expect(Measure.peak(try #require(sounds[.loop(0)]).left) == 0)
  }

  @Test func `ports that are not connected are recorded alike, and what is heard stays the same`()
    throws
  {
    var kept: [[SessionTrack: (left: [Float], right: [Float])]] = []
    var heard: [[Float]] = []
    for use in [PortUse.all, .input.union(.output), .none] {
      let host = OfflineHost(isPlayable: true)
      host.use = use
      let ring = SessionRing(rate: 48_000, loops: 4)
      heard.append(perform(host, ring, block: 64).left)
      kept.append(drain(ring))
    }
    for others in kept[1...] {
      for track in Self.tracks {
        let (one, other) = (try #require(kept[0][track]), try #require(others[track]))
        #expect(Measure.firstDifference(one.left, other.left) == nil, "\(track)")
        #expect(Measure.firstDifference(one.right, other.right) == nil, "\(track)")
      }
    }
    #expect(Measure.firstDifference(heard[0], heard[1]) == nil)
    // And the same as without a session.
    let host = OfflineHost(isPlayable: true)
    let unused = SessionRing(rate: 44_100, loops: 4)
    #expect(Measure.firstDifference(perform(host, unused, block: 64).left, heard[0]) == nil)
    #expect(unused.frames == 0)
  }

  @Test func `lost frames are silence, so that what follows is in its place`() throws {
    let host = OfflineHost()
    let ring = SessionRing(rate: 48_000, loops: 4)
    host.send(begin(ring))
    let sound = Tone.noise(frames: 9600)
    _ = host.render(Array(sound[..<4800]), block: 64)
    host.lose(frames: 640)
    _ = host.render(Array(sound[4800...]), block: 64)
    host.send(end())
    _ = host.render(Tone.constant(0, frames: 64), block: 64)
    let input = try #require(drain(ring)[.input]).left
    #expect(input.count == 9600 + 640)
    #expect(Array(input[4800..<5440]) == Tone.constant(0, frames: 640))
    #expect(Measure.firstDifference(Array(input[5440...]), Array(sound[4800...])) == nil)
  }

  @Test func `a full ring ends all tracks on one frame`() {
    let host = OfflineHost()
    let ring = SessionRing(rate: 48_000, loops: 4, capacity: 1000)
    host.send(begin(ring))
    _ = host.render(Tone.noise(frames: 4800), block: 64)
    #expect(ring.state == .overrun && ring.frames == 1000)
    #expect(drain(ring).values.allSatisfy { $0.left.count == 1000 })
    // Another one can start.
    let next = SessionRing(rate: 48_000, loops: 4)
    host.send(begin(next))
    _ = host.render(Tone.noise(frames: 4800), block: 64)
    #expect(next.state == .running && next.frames == 4800)
  }

  @Test func `beats, MIDI, loops and markers are on their frames`() {
    let host = OfflineHost(isPlayable: true)
    let ring = SessionRing(rate: 48_000, loops: 4)
    host.send(Command(.set(.metronome(.on), 1)))
    _ = host.render(Tone.constant(0, frames: 64), block: 64)
    let start = host.frame
    host.send(begin(ring))
    host.send(Command(.loop(.recordOn, loop: 2), at: Int64(start) + 5000))
    host.send(Command(.loop(.recordOn, loop: 2), at: Int64(start) + 9000))
    host.send(Command(.markSession(70_000), at: Int64(start) + 12_345))
    host.midi = [(start + 700, [0x90, 60, 100]), (start + 20_000, [0x80, 60, 0])]
    let output = host.render(Tone.noise(frames: 100_000), block: 64)
    let events = ring.takeEvents()
    #expect(ring.lostEvents == 0)
    func frames(_ kind: SessionEvent.Kind) -> [Int] {
      events.filter { $0.kind == kind }.map(\.frame)
    }
    #expect(frames(.received) == [700, 20_000])
    #expect(frames(.record) == [5000] && frames(.play) == [9000])
    #expect(frames(.mark) == [12_345])
    #expect(events.first { $0.kind == .mark }?.number == 70_000)
    // The clicks start on the beats.
    let beats = frames(.beat)
    #expect(beats.count >= 3 && Set(zip(beats, beats.dropFirst()).map { $1 - $0 }) == [24_000])
    for beat in beats.dropFirst().dropLast() {
      #expect(output.click[(beat - 10)..<beat].allSatisfy { $0 == 0 })
      #expect(output.click[beat..<(beat + 40)].contains { $0 != 0 })
    }
  }

  @Test func `what the grid plays is sent as MIDI into a session even if nothing is connected`() {
    let host = OfflineHost(isPlayable: true)
    host.use = .none
    let ring = SessionRing(rate: 48_000, loops: 4)
    host.send(begin(ring))
    _ = host.render(Tone.constant(0, frames: 64), block: 64)
    host.send(Command(.note(.on(NoteStart(finger: .cell(1), key: 64, cents: 6400, velocity: 1)))))
    _ = host.render(Tone.constant(0, frames: 4800), block: 64)
    let sent = ring.takeEvents().filter { $0.kind == .sent }
    #expect(sent.map { [$0.first, $0.second] } == [[0x90, 64]] && sent.first?.frame == 64)
  }

  // MARK: - Lifetime

  @Test func `a ring is released at the end of the block in which its session ends`() {
    var tap = SessionTap(sampleRate: 48_000)
    let rings = (0..<3).map { _ in SessionRing(rate: 48_000, loops: 1, capacity: 480) }
    for ring in rings {
      tap.follow(ring.pointer, at: 0, microseconds: 0)
      tap.endBlock()
      #expect(ring.state == .running && !ring.isReleased)
      tap.follow(nil, at: 0, microseconds: 0)
      #expect(ring.hasEnded && !ring.isReleased)
      tap.endBlock()
      #expect(ring.isReleased)
    }
    // Several in one block.
    let others = (0..<3).map { _ in SessionRing(rate: 48_000, loops: 1, capacity: 480) }
    for ring in others {
      tap.follow(ring.pointer, at: 0, microseconds: 0)
      tap.follow(nil, at: 0, microseconds: 0)
    }
    #expect(others.allSatisfy { $0.hasEnded && !$0.isReleased })
    tap.endBlock()
    #expect(others.allSatisfy { $0.isReleased })
  }

  /// The audio thread of a host, which renders until it is stopped.
  private final class AudioThread: @unchecked Sendable {
    private let host: OfflineHost
    private let isOver = Atomic<Bool>(false)
    private let end = DispatchSemaphore(value: 0)

    init(_ host: OfflineHost) { self.host = host }

    func start() {
      Thread.detachNewThread { [self] in
        let noise = Tone.noise(frames: 2048)
        while !isOver.load(ordering: .relaxed) { _ = host.render(noise, block: 2048) }
        end.signal()
      }
    }

    func stop() {
      isOver.store(true, ordering: .relaxed)
      end.wait()
    }
  }

  // AddressSanitizer finds accesses to freed memory.
  @Test func `rings are freed while the audio thread goes on`() throws {
    let host = OfflineHost(isPlayable: true)
    // All ports and the sent MIDI are in the memory of the rings.
    host.use = .none
    let (engine, thread) = (host.engine, AudioThread(host))
    thread.start()
    defer { thread.stop() }
    func send(_ batch: [Command]) throws {
      try waitUntil("the queue has room", every: 0) {
        while engine.shared.nextEvent() != nil { engine.shared.commands.returnCredits(1) }
        return engine.shared.commands.submit(batch) != nil
      }
    }
    for round in 0..<50 {
      weak var freed: SessionRing?
      do {
        // Sessions of every second round end because their rings are full.
        let capacity = round % 2 == 0 ? 3000 : 48_000
        let ring = SessionRing(rate: 48_000, loops: 4, capacity: capacity)
        freed = ring
        try send([begin(ring)])
        try waitUntil("the session has started", every: 0) { ring.frames > 0 }
        // The end is early in a block, which then sends notes.
        let frame = Int64(engine.shared.frames.load(ordering: .relaxed)) + 4096 + 100
        var batch = [end(at: frame)]
        for note in 0..<8 {
          let start = NoteStart(finger: .cell(1), key: 64, cents: 6400, velocity: 1)
          batch.append(Command(.note(.on(start)), at: frame + Int64(200 * note) + 100))
        }
        try send(batch)
        try waitUntil("the ring is released", every: 0) { ring.isReleased }
        #expect(ring.hasEnded)
      }
      #expect(freed == nil)
    }
  }
}
