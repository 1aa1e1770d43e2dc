/// The header of an image file: its kind and size, without decoding it.
package struct ImageHeader: Equatable, Sendable {
  package let kind: ImageKind
  package let width: Int
  package let height: Int

  /// The number of pixels that a browser must allocate.
  package var pixels: Int { width * height }

  /// Parses the header of a file.
  ///
  /// Returns nil if it is not an image or has no size.
  package init?(_ bytes: [UInt8]) {
    guard let kind = ImageKind(bytes) else { return nil }
    let size =
      switch kind {
      case .jpeg: Self.jpeg(bytes)
      case .png: Self.png(bytes)
      case .gif: Self.gif(bytes)
      case .webp: Self.webp(bytes)
      }
    guard let (width, height) = size, width > 0, height > 0 else { return nil }
    self.kind = kind
    self.width = width
    self.height = height
  }

  private static func png(_ bytes: [UInt8]) -> (Int, Int)? {
    guard bytes.count >= 24, bytes[12..<16].elementsEqual("IHDR".utf8) else { return nil }
    let (width, height) = (big(bytes, 16, 4), big(bytes, 20, 4))
    // The limit of the standard, below which the product can't overflow.
    return width <= Int(Int32.max) && height <= Int(Int32.max) ? (width, height) : nil
  }

  private static func gif(_ bytes: [UInt8]) -> (Int, Int)? {
    bytes.count >= 10 ? (little(bytes, 6, 2), little(bytes, 8, 2)) : nil
  }

  /// Skips segments up to the frame header, which precedes the pixels in every JPEG.
  private static func jpeg(_ bytes: [UInt8]) -> (Int, Int)? {
    var place = 2
    while place + 9 <= bytes.count {
      guard bytes[place] == 0xFF else { return nil }
      let marker = bytes[place + 1]
      switch marker {
      // A fill byte.
      case 0xFF: place += 1
      // A marker without a length.
      case 0x01, 0xD0...0xD7: place += 2
      // Start of scan, or end of image.
      case 0xD8...0xDA: return nil
      case 0xC0...0xCF where ![0xC4, 0xC8, 0xCC].contains(marker):
        return (big(bytes, place + 7, 2), big(bytes, place + 5, 2))
      default:
        let length = big(bytes, place + 2, 2)
        guard length >= 2 else { return nil }
        place += 2 + length
      }
    }
    return nil
  }

  private static func webp(_ bytes: [UInt8]) -> (Int, Int)? {
    guard bytes.count >= 30 else { return nil }
    switch String(decoding: bytes[12..<16], as: UTF8.self) {
    case "VP8 ":
      guard bytes[23..<26].elementsEqual([0x9D, 0x01, 0x2A]) else { return nil }
      // The upper two bits are for scaling.
      return (little(bytes, 26, 2) & 0x3FFF, little(bytes, 28, 2) & 0x3FFF)
    case "VP8L":
      guard bytes[20] == 0x2F else { return nil }
      let bits = little(bytes, 21, 4)
      return (1 + bits & 0x3FFF, 1 + bits >> 14 & 0x3FFF)
    case "VP8X": return (1 + little(bytes, 24, 3), 1 + little(bytes, 27, 3))
    default: return nil
    }
  }

  private static func big(_ bytes: [UInt8], _ place: Int, _ count: Int) -> Int {
    bytes[place..<place + count].reduce(0) { $0 << 8 | Int($1) }
  }

  private static func little(_ bytes: [UInt8], _ place: Int, _ count: Int) -> Int {
    bytes[place..<place + count].reversed().reduce(0) { $0 << 8 | Int($1) }
  }
}
