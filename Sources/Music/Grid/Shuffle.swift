/// A deterministic shuffle: the same order for each seed on every machine.
struct Shuffle {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  /// Shuffles a list with a uniform distribution (Fisher-Yates).
  mutating func shuffle(_ list: inout [Int]) {
    for last in stride(from: list.count - 1, to: 0, by: -1) {
      list.swapAt(last, below(last + 1))
    }
  }

  /// Returns a uniformly distributed number below a bound: the upper half of a product, with
  /// rejection of biased draws.
  private mutating func below(_ bound: Int) -> Int {
    let bound = UInt64(bound)
    let unfair = (0 &- bound) % bound
    while true {
      let (high, low) = next().multipliedFullWidth(by: bound)
      if low >= unfair { return Int(high) }
    }
  }

  /// Returns 64 random bits (SplitMix64 by Steele, Lea and Flood, 2014).
  ///
  /// Any seed is good, even 0 or 1.
  private mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }
}
