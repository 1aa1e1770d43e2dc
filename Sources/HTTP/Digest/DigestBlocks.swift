/// The padded blocks of 16 words that both digests process: the bytes, an end mark, and the length
/// in bits.
struct DigestBlocks: Sequence, IteratorProtocol {
  private let padded: [UInt8]
  private var place = 0

  init(_ bytes: [UInt8]) {
    var padded = bytes + [0x80]
    padded += [UInt8](repeating: 0, count: (120 - padded.count % 64) % 64)
    self.padded = padded + Self.bigEndian(UInt64(bytes.count) * 8)
  }

  mutating func next() -> [UInt32]? {
    guard place < padded.count else { return nil }
    defer { place += 64 }
    return (0..<16).map { word in
      (0..<4).reduce(UInt32(0)) { $0 << 8 | UInt32(padded[place + word * 4 + $1]) }
    }
  }

  /// The bytes of a number in big-endian order.
  static func bigEndian(_ number: some FixedWidthInteger) -> [UInt8] {
    withUnsafeBytes(of: number.bigEndian) { Array($0) }
  }
}
