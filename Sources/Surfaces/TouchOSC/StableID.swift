/// The UUIDs of nodes, made from their paths: the same in every file.
enum StableID {
  /// A version 8 UUID of a name, from two 64-bit FNV-1a hashes, of the name forward and backward,
  /// each with an avalanche step.
  static func uuid(_ name: String) -> String {
    let bytes = Array(name.utf8)
    let halves = [
      stirred(hash(bytes, 0xCBF2_9CE4_8422_2325)),
      stirred(hash(bytes.reversed(), 0x6C62_272E_07BB_0142)),
    ]
    var digits = halves.map { half in
      let text = String(half, radix: 16)
      return String(repeating: "0", count: 16 - text.count) + text
    }.joined().map { $0 }
    digits[12] = "8"
    // The variant of RFC 9562: the two upper bits are 10.
    digits[16] = ["8", "9", "a", "b"][Int(halves[1] >> 62)]
    let ends = [8, 12, 16, 20, 32]
    return zip([0] + ends, ends).map { String(digits[$0..<$1]) }.joined(separator: "-")
  }

  private static func hash(_ bytes: [UInt8], _ start: UInt64) -> UInt64 {
    bytes.reduce(start) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
  }

  private static func stirred(_ value: UInt64) -> UInt64 {
    var value = value
    for factor: UInt64 in [0xFF51_AFD7_ED55_8CCD, 0xC4CE_B9FE_1A85_EC53] {
      value = (value ^ value >> 33) &* factor
    }
    return value ^ value >> 33
  }
}
