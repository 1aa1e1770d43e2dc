import Engine
import TestSupport
import Testing

/// More commands than fit in the budget of one block.
@Suite struct CommandBudgetTests {
  private static let block = 64
  // The budget of a block of 64 frames: 16 values per frame, and the possible overdraft of a batch.
  private static let most = 16 * 64 + 256

  private let host = OfflineHost(isPlayable: true)

  /// The first frame of the next block.
  private var now: Int64 { Int64(host.frame) }

  /// Renders a block of a constant, and returns its events.
  private func play(_ value: Float = 0) -> [Event] {
    _ = host.render(Tone.constant(value, frames: Self.block), block: Self.block)
    return host.events()
  }

  /// Renders blocks until a number of events has been received, and returns those of each block.
  private func play(until count: Int) -> [[Event]] {
    var blocks: [[Event]] = []
    while blocks.joined().count < count && blocks.count < 1000 { blocks.append(play()) }
    return blocks
  }

  /// Sends a command for each number, in batches of a size.
  private func send(_ numbers: Range<Int>, batch: Int, _ make: (Int) -> Command) {
    for start in stride(from: numbers.lowerBound, to: numbers.upperBound, by: batch) {
      let batch = (start..<min(start + batch, numbers.upperBound)).map(make)
      #expect(host.engine.shared.commands.submit(batch) != nil)
    }
  }

  private func token(_ event: Event) -> UInt32? {
    if case .synced(let token) = event.kind { token } else { nil }
  }

  @Test func `commands due on one frame are spread over blocks, in order, and counted as late`() {
    let due = now + Int64(Self.block)
    send(0..<12_200, batch: 4000) { Command(.sync(UInt32($0)), at: due) }
    let blocks = play(until: 12_200)
    #expect(blocks.map(\.count).max()! <= Self.most)
    #expect(blocks.joined().compactMap(token) == (0..<12_200).map(UInt32.init))
    let first = blocks.first { !$0.isEmpty }!.count
    #expect(host.engine.shared.lateCount == UInt64(12_200 - first))
  }

  @Test func `a batch that exceeds a block is split, and the rest is counted as late`() {
    send(0..<4096, batch: 4096) { Command(.sync(UInt32($0))) }
    let blocks = play(until: 4096)
    #expect(blocks.map(\.count).max()! <= Self.most)
    #expect(blocks.joined().compactMap(token) == (0..<4096).map(UInt32.init))
    #expect(host.engine.shared.lateCount == UInt64(4096 - blocks[0].count))
  }

  @Test func `an untimed command that waits for its turn is not late`() {
    send(0..<4096, batch: 1) { Command(.sync(UInt32($0))) }
    #expect(play(until: 4096).map(\.count).max()! <= Self.most)
    #expect(host.engine.shared.lateCount == 0)
  }

  @Test(arguments: [false, true])
  func `a block starts fewer notes than it sets values`(isTimed: Bool) {
    let due = isTimed ? now + Int64(Self.block) : Command.now
    send(0..<4096, batch: 4096) { number in
      let key = UInt8(number % 128)
      let note = NoteStart(finger: .key(key), key: key, cents: Float(key) * 100, velocity: 1)
      return Command(.note(.on(note)), at: due)
    }
    #expect(play(until: 4096).map(\.count).max()! <= Self.most / 8)
  }

  @Test(arguments: [false, true])
  func `a batch as large as a preset takes effect in one block, under any load`(
    isTimed: Bool
  ) {
    let due = isTimed ? now + Int64(Self.block) : Command.now
    send(0..<6000, batch: 1000) { _ in Command(.set(.mixer(.liveGain), -1), at: due) }
    for start in stride(from: 0, to: 6000, by: 100) {
      send(start..<start + 100, batch: 100) { Command(.sync(UInt32($0)), at: due) }
    }
    let blocks = play(until: 12_000)
    #expect(blocks.map(\.count).max()! <= Self.most)
    #expect(blocks.count { !$0.compactMap(token).isEmpty } > 3)
    for block in blocks {
      let tokens = block.compactMap(token)
      #expect(tokens.first.map { $0 % 100 == 0 } ?? true)
      #expect(tokens.last.map { $0 % 100 == 99 } ?? true)
    }
  }

  @Test func `a sync is answered when all commands due before it are in effect`() {
    let due = now + Int64(Self.block)
    send(0..<12_000, batch: 4000) { _ in Command(.set(.mixer(.liveGain), -1), at: due) }
    var events: [Event] = []
    while events.isEmpty { events = play() }
    #expect(events.count < 12_000)
    host.send(Command(.sync(7)))
    let rest = Array(play(until: 12_001 - events.count).joined())
    #expect(rest.count == 12_001 - events.count && token(rest.last!) == 7)
    #expect(rest.dropLast().allSatisfy { token($0) == nil })
  }

  @Test func `a flood of untimed commands delays no timed one`() {
    host.send(Command(.set(.mixer(.mute), 1), at: now + 160))
    _ = play(0.5)
    send(0..<12_288, batch: 4096) { _ in Command(.set(.mixer(.liveGain), 0)) }
    let output = host.render(Tone.constant(0.5, frames: 256), block: Self.block).left
    #expect(output.firstIndex { $0 != 0.5 } == 96)
    #expect(host.events().count < 12_288)
  }
}
