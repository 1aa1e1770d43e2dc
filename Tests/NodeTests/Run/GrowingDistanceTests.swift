import Posix
import Testing

/// The intervals between log lines about a continuing fault.
@Suite struct GrowingDistanceTests {
  private func times(lost: some Sequence<Double>) -> [Double] {
    var distance = GrowingDistance()
    return lost.filter { distance.isDue($0) }
  }

  @Test func `a quarter of an hour of xruns is ten lines`() {
    #expect(
      times(lost: stride(from: 0, to: 900, by: 0.25)) == [0, 1, 3, 7, 15, 31, 63, 127, 255, 511])
  }

  @Test func `a day of xruns is a line every ten minutes`() {
    let lines = times(lost: stride(from: 0, to: 86_400, by: 1))
    #expect((145...160).contains(lines.count))
    #expect(lines.suffix(2).last! - lines.suffix(2).first! == 600)
  }

  @Test func `after a pause the intervals start again`() {
    #expect(times(lost: [0, 1, 3, 100, 101]) == [0, 1, 3, 100, 101])
    #expect(times(lost: [0, 1, 3, 4, 7, 8, 9]) == [0, 1, 3, 7])
  }
}
