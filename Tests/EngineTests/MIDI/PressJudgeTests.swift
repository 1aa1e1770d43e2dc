import Testing

@testable import Engine

/// The press detector of one switch, frame by frame.
@Suite struct PressJudgeTests {
  // At 1000 Hz a frame is a millisecond. The bounce time is 25 ms, a long press is 500 ms, and the
  // second of a double press comes within 300 ms.
  private let times = PressTimes(sampleRate: 1000)

  /// Closes and opens a switch at frames, and returns each result with its frame.
  private func judge(_ edges: [Int64], wanted: UInt8, until end: Int64 = 3000) -> [[Int64]] {
    var judge = PressJudge()
    var known: [[Int64]] = []
    var edges = edges[...]
    var isClosing = true
    for frame in 0..<end {
      while true {
        let bits = judge.judge(at: frame, wanted: wanted, times)
        if bits == 0 { break }
        known.append([Int64(bits), frame])
      }
      guard edges.first == frame else { continue }
      edges.removeFirst()
      let bits =
        isClosing
        ? judge.press(at: frame, wanted: wanted, times)
        : judge.lift(at: frame, wanted: wanted, times)
      if bits != 0 { known.append([Int64(bits), frame]) }
      isClosing.toggle()
      let deadline = judge.deadline(wanted: wanted, times)
      #expect(judge.isWaiting == (deadline < .max) && deadline > frame)
    }
    #expect(!judge.isWaiting)
    return known
  }

  private let down = Int64(PressBits.down)
  private let up = Int64(PressBits.up)
  private let short = Int64(PressBits.short)
  private let long = Int64(PressBits.long)
  private let double = Int64(PressBits.double)

  @Test func `a short press alone is recognized at once`() {
    #expect(judge([10, 110], wanted: PressBits.short) == [[down | short, 10], [up, 110]])
  }

  @Test func `a short press is recognized as soon as it can be no other`() {
    #expect(judge([10, 110], wanted: PressBits.long) == [[down, 10], [up | short, 110]])
    #expect(
      judge([10, 110], wanted: PressBits.double) == [[down, 10], [up, 110], [short, 310]])
    let both = PressBits.long | PressBits.double
    #expect(judge([10, 110], wanted: both) == [[down, 10], [up, 110], [short, 310]])
    #expect(judge([10, 410], wanted: both) == [[down, 10], [up | short, 410]])
    // Held for longer than the interval of a double press.
    #expect(
      judge([10, 910], wanted: PressBits.double) == [[down, 10], [short, 310], [up, 910]])
  }

  @Test func `a long press is recognized while held, a double one with its second press`() {
    let both = PressBits.long | PressBits.double
    #expect(judge([10, 910], wanted: both) == [[down, 10], [long, 510], [up, 910]])
    #expect(
      judge([10, 60, 309, 2000], wanted: both)
        == [[down, 10], [up, 60], [down | double, 309], [up, 2000]])
    #expect(
      judge([10, 60, 310, 400], wanted: both)
        == [[down, 10], [up, 60], [short, 310], [down, 310], [up, 400], [short, 610]])
    // A third press starts a new sequence.
    #expect(
      judge([10, 60, 110, 160, 210, 260], wanted: PressBits.double)
        == [
          [down, 10], [up, 60], [down | double, 110], [up, 160], [down, 210], [up, 260],
          [short, 510],
        ])
  }

  @Test func `a bouncing contact is one press, which ends after the bounce`() {
    #expect(
      judge([10, 12, 15, 20, 34, 110], wanted: PressBits.short) == [
        [down | short, 10], [up, 110],
      ])
    #expect(judge([10, 12], wanted: PressBits.short) == [[down | short, 10], [up, 35]])
    #expect(judge([10, 12, 15, 20], wanted: PressBits.long) == [[down, 10], [up | short, 35]])
    // The time of the press counts from its beginning, not from the last bounce.
    #expect(
      judge([10, 12, 30, 34, 59, 110], wanted: PressBits.short)
        == [[down | short, 10], [up, 35], [down | short, 59], [up, 110]])
  }

  @Test func `a contact that bounces when it opens is not pressed again`() {
    #expect(
      judge([10, 110, 111, 112, 130, 133], wanted: PressBits.short)
        == [[down | short, 10], [up, 110]])
    let both = PressBits.long | PressBits.double
    #expect(
      judge([10, 110, 111, 112], wanted: both) == [[down, 10], [up, 110], [short, 310]])
    // Also when it stays closed a little longer than it may.
    #expect(
      judge([10, 110, 134, 170], wanted: PressBits.short) == [[down | short, 10], [up, 110]])
    // 25 ms after it has opened, it is pressed.
    #expect(
      judge([10, 110, 135, 170], wanted: both)
        == [[down, 10], [up, 110], [down | double, 135], [up, 170]])
  }

  @Test func `without room for a delayed release, a release counts at once`() {
    var judge = PressJudge()
    _ = judge.press(at: 10, wanted: 0, times)
    let bits = judge.lift(at: 11, wanted: 0, times, waits: false)
    #expect(bits == PressBits.up)
    #expect(!judge.isWaiting && !judge.isDown)
  }

  @Test func `a switch that was already held ends without a press`() {
    var judge = PressJudge()
    judge.hold()
    #expect(judge.isDown && !judge.isWaiting)
    let bits = judge.lift(at: 3, wanted: PressBits.long, times)
    #expect(bits == PressBits.up)
  }
}
