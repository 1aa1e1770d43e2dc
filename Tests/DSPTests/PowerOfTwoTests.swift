import DSP
import Testing

@Suite struct PowerOfTwoTests {
  @Test(arguments: [
    (0, 1), (1, 1), (2, 2), (3, 4), (4, 4), (5, 8), (511, 512), (512, 512), (513, 1024),
    (1 << 40, 1 << 40), (1 << 40 + 1, 1 << 41),
  ])
  func `the smallest power of two that is large enough`(count: Int, expected: Int) {
    #expect(Int.powerOfTwo(atLeast: count) == expected)
  }
}
