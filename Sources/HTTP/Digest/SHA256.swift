/// SHA-256 (FIPS 180-4), for the content security policy, ETags, and digests of secrets.
package enum SHA256 {
  // The first 32 bits of the fractional parts of the cube roots of the first 64 primes, and of the
  // square roots of the first 8.
  private static let primes = (2...311).filter { number in
    !(2..<number).contains { $0 * $0 <= number && number % $0 == 0 }
  }
  private static let constants = primes.map { fraction(ofRoot: 3, of: $0) }
  private static let start = primes.prefix(8).map { fraction(ofRoot: 2, of: $0) }

  // Integer arithmetic, which is exact everywhere: finds the root scaled by 2^32 bit by bit, from
  // the highest bit that any of them has. The conversion drops the integer part.
  private static func fraction(ofRoot degree: Int, of number: Int) -> UInt32 {
    let power = UInt128(number) << (32 * degree)
    var root: UInt128 = 0
    for bit in (0..<35).reversed() {
      let larger = root | 1 << bit
      if (1..<degree).reduce(larger, { product, _ in product * larger }) <= power { root = larger }
    }
    return UInt32(truncatingIfNeeded: root)
  }

  /// Returns the digest of 32 bytes.
  package static func digest(_ bytes: [UInt8]) -> [UInt8] {
    var state = start
    for block in DigestBlocks(bytes) { mix(block, into: &state) }
    return state.flatMap(DigestBlocks.bigEndian)
  }

  private static func mix(_ block: [UInt32], into state: inout [UInt32]) {
    var words = block
    for index in 16..<64 {
      let (near, far) = (words[index - 2], words[index - 15])
      words.append(
        words[index - 16] &+ (turn(far, 7) ^ turn(far, 18) ^ far >> 3) &+ words[index - 7]
          &+ (turn(near, 17) ^ turn(near, 19) ^ near >> 10))
    }
    var (a, b, c, d) = (state[0], state[1], state[2], state[3])
    var (e, f, g, h) = (state[4], state[5], state[6], state[7])
    for index in 0..<64 {
      let first =
        h &+ (turn(e, 6) ^ turn(e, 11) ^ turn(e, 25)) &+ (e & f ^ ~e & g) &+ constants[index]
        &+ words[index]
      let second = (turn(a, 2) ^ turn(a, 13) ^ turn(a, 22)) &+ (a & b ^ a & c ^ b & c)
      (h, g, f, e, d, c, b, a) = (g, f, e, d &+ first, c, b, a, first &+ second)
    }
    for (index, word) in [a, b, c, d, e, f, g, h].enumerated() { state[index] &+= word }
  }

  private static func turn(_ word: UInt32, _ bits: UInt32) -> UInt32 {
    word >> bits | word << (32 - bits)
  }
}
