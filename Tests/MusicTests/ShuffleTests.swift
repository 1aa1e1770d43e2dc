import Testing

@testable import Music

@Suite struct ShuffleTests {
  private func shuffled(_ count: Int, seed: UInt64) -> [Int] {
    var list = Array(0..<count)
    var shuffle = Shuffle(seed: seed)
    shuffle.shuffle(&list)
    return list
  }

  @Test func `a shuffle is a permutation`() {
    for count in 0..<100 {
      for seed in [0, 1, 2, UInt64.max] {
        #expect(shuffled(count, seed: seed).sorted() == Array(0..<count))
      }
    }
  }

  @Test func `a seed always gives the same order`() {
    // Pinned, because layouts and presets store seeds.
    #expect(shuffled(12, seed: 1) == [7, 0, 4, 1, 2, 11, 5, 10, 3, 9, 8, 6])
    #expect(shuffled(12, seed: 2) == [9, 0, 10, 1, 3, 4, 11, 2, 6, 5, 8, 7])
  }

  @Test func `all orders of four are equally frequent`() {
    var counts: [[Int]: Int] = [:]
    for seed in 0..<24_000 { counts[shuffled(4, seed: UInt64(seed)), default: 0] += 1 }
    #expect(counts.count == 24)
    // A thousand each, within five standard deviations of 31.
    #expect(counts.values.allSatisfy { abs($0 - 1000) < 155 })
  }
}
