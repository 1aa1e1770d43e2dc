internal import CZlib

/// Image files made for tests.
package enum PictureFile {
  /// A PNG of a uniform gray, which any browser shows.
  package static func png(width: Int, height: Int, grey: UInt8 = 120) -> [UInt8] {
    var rows: [UInt8] = []
    for _ in 0..<height { rows += [0] + [UInt8](repeating: grey, count: width) }
    return png(width: width, height: height, rows: rows)
  }

  /// A PNG whose header claims a size.
  package static func png(saying width: Int, _ height: Int) -> [UInt8] {
    png(width: width, height: height, rows: [])
  }

  private static func png(width: Int, height: Int, rows: [UInt8]) -> [UInt8] {
    var packed = [UInt8](repeating: 0, count: rows.count + 1000)
    var size = uLongf(packed.count)
    compress(&packed, &size, rows, uLong(rows.count))
    // Eight bits of gray each.
    let header = big(width) + big(height) + [8, 0, 0, 0, 0]
    return [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A] + chunk("IHDR", header)
      + chunk("IDAT", Array(packed.prefix(Int(size)))) + chunk("IEND", [])
  }

  private static func chunk(_ name: String, _ body: [UInt8]) -> [UInt8] {
    let bytes = Array(name.utf8) + body
    return big(body.count) + bytes + big(Int(crc32(0, bytes, uInt(bytes.count))))
  }

  private static func big(_ number: Int) -> [UInt8] {
    [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: number >> $0) }
  }
}
