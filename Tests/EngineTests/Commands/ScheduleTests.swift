import Testing

@testable import Engine

@Suite struct ScheduleTests {
  @Test func `yields the earliest first, and those of one frame in order of arrival`() {
    var schedule = Schedule(capacity: 1024)
    var generator = SystemRandomNumberGenerator()
    var expected: [(Int64, UInt64)] = []
    for number in 0..<1000 {
      let frame = Int64.random(in: 0..<50, using: &generator)
      expected.append((frame, UInt64(number)))
      schedule.insert(Command(.sync(0), at: frame), number: UInt64(number))
    }
    expected.sort { $0.0 != $1.0 ? $0.0 < $1.0 : $0.1 < $1.1 }
    for (frame, number) in expected {
      #expect(schedule.nextFrame == frame)
      let entry = schedule.removeEarliest()
      #expect(entry.command.frame == frame && entry.number == number)
    }
    #expect(schedule.nextFrame == .max)
  }

  @Test func `an xrun delays commands on beats, and no others`() {
    var schedule = Schedule(capacity: 1024)
    var generator = SystemRandomNumberGenerator()
    var expected: [(Int64, UInt64)] = []
    for number in 0..<1000 {
      let frame = Int64.random(in: 0..<200, using: &generator)
      let isOnBeat = Bool.random(using: &generator)
      expected.append((frame + (isOnBeat ? 70 : 0), UInt64(number)))
      schedule.insert(Command(.sync(0), at: frame, isOnBeat: isOnBeat), number: UInt64(number))
    }
    schedule.delayBeats(by: 70)
    expected.sort { $0.0 != $1.0 ? $0.0 < $1.0 : $0.1 < $1.1 }
    for (frame, number) in expected {
      let entry = schedule.removeEarliest()
      #expect(entry.command.frame == frame && entry.number == number)
    }
  }

  @Test func `moves with the timeline`() {
    var schedule = Schedule(capacity: 4)
    schedule.insert(Command(.sync(0), at: 100), number: 0)
    schedule.shift(by: 1 << 32)
    #expect(schedule.nextFrame == 100 + 1 << 32)
  }
}
