/// A parser for raw AAC frames (ADTS, ISO/IEC 13818-7).
enum AACFrames {
  private static let rates = [
    96_000, 88_200, 64_000, 48_000, 44_100, 32_000, 24_000, 22_050, 16_000, 12_000, 11_025, 8000,
    7350,
  ]
  private static let samples = 1024.0

  /// Returns the duration in seconds, or nil if the bytes are not ADTS frames.
  static func seconds(of bytes: [UInt8]) -> Double? {
    var place = 0
    var seconds = 0.0
    while place + 7 <= bytes.count {
      let rate = Int(bytes[place + 2] >> 2 & 15)
      let length =
        Int(bytes[place + 3] & 3) << 11 | Int(bytes[place + 4]) << 3 | Int(bytes[place + 5] >> 5)
      guard bytes[place] == 0xFF, bytes[place + 1] & 0xF6 == 0xF0, rates.indices.contains(rate),
        length >= 7
      else { return nil }
      seconds += samples * Double(bytes[place + 6] & 3 + 1) / Double(rates[rate])
      place += length
    }
    // The last frame may be truncated, but not the only one.
    return seconds > 0 && (place <= bytes.count || seconds > samples / 7350) ? seconds : nil
  }
}
