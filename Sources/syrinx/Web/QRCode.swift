internal import CQrencode

/// A QR code.
struct QRCode {
  private let squares: [UInt8]
  private let width: Int
  // The quiet zone, by which cameras find it.
  private static let margin = 2

  /// The code of a text; nil if it is too long.
  init?(_ text: String) {
    guard let code = QRcode_encodeString8bit(text, 0, QR_ECLEVEL_M) else { return nil }
    defer { QRcode_free(code) }
    width = Int(code.pointee.width)
    squares = Array(UnsafeBufferPointer(start: code.pointee.data, count: width * width))
  }

  /// Whether the module at a row and a column is black.
  func isBlack(_ row: Int, _ column: Int) -> Bool {
    guard 0..<width ~= row, 0..<width ~= column else { return false }
    return squares[row * width + column] & 1 == 1
  }

  /// The code in lines of text, two rows of modules per line, black on white on any terminal.
  var lines: [String] {
    let columns = -Self.margin..<width + Self.margin
    return stride(from: -Self.margin, to: width + Self.margin, by: 2).map { row in
      let cells = columns.map { column in
        switch (isBlack(row, column), isBlack(row + 1, column)) {
        case (false, false): " "
        case (true, false): "▀"
        case (false, true): "▄"
        case (true, true): "█"
        }
      }
      // Explicit black and white: a terminal's colors are often inverted.
      return "\u{1B}[38;2;0;0;0;48;2;255;255;255m" + cells.joined() + "\u{1B}[0m"
    }
  }
}
