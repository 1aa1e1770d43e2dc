internal import Screen

/// A simulated terminal: its characters, as far as this program uses its features.
package struct TerminalPicture {
  /// The characters, row by row; empty in the right half of a wide one.
  package private(set) var places: [[String]]
  /// Whether the terminal shows its alternate screen.
  package private(set) var isOnOtherPage = false
  /// Whether the cursor is hidden.
  package private(set) var isCursorHidden = false
  /// Whether text was written past the end of a line.
  package private(set) var hasOverflown = false
  /// The number of color sequences.
  package private(set) var colors = 0

  private let columns: Int
  private var row = 0
  private var column = 0

  /// Creates an empty terminal.
  package init(columns: Int, rows: Int) {
    self.columns = columns
    places = Array(repeating: Array(repeating: " ", count: columns), count: rows)
  }

  /// The lines, without trailing spaces.
  package var lines: [String] {
    places.map { line in
      var text = line.joined()
      while text.last == " " { text.removeLast() }
      return text
    }
  }

  /// Takes output of the program, in complete sequences.
  package mutating func take(_ text: String) {
    var rest = Substring(text)
    while let letter = rest.popFirst() {
      switch letter {
      case "\u{1B}":
        guard rest.first == "[" else { continue }
        rest.removeFirst()
        let numbers = rest.prefix { "0123456789;?".contains($0) }
        rest = rest[numbers.endIndex...]
        if let end = rest.popFirst() { follow(end, numbers) }
      case "\r": column = 0
      case "\n", "\r\n":
        if letter == "\r\n" { column = 0 }
        lineFeed()
      default: write(letter)
      }
    }
  }

  private mutating func lineFeed() {
    if row + 1 < places.count {
      row += 1
    } else {
      places.removeFirst()
      places.append(Array(repeating: " ", count: columns))
    }
  }

  private mutating func write(_ letter: Character) {
    let width = PlainText.width(letter)
    guard column + width <= columns else {
      hasOverflown = true
      return
    }
    places[row][column] = String(letter)
    if width == 2 { places[row][column + 1] = "" }
    column += width
  }

  private mutating func follow(_ end: Character, _ text: Substring) {
    let numbers = text.split(separator: ";").compactMap { Int($0) }
    switch (end, text) {
    case ("H", _):
      row = min((numbers.first ?? 1) - 1, places.count - 1)
      column = (numbers.count > 1 ? numbers[1] : 1) - 1
    case ("J", "2"):
      for index in places.indices { places[index] = Array(repeating: " ", count: columns) }
    case ("K", ""):
      for index in column..<columns { places[row][index] = " " }
    case ("m", _): colors += numbers.count { (30...37).contains($0) }
    case ("h", "?1049"), ("l", "?1049"): isOnOtherPage = end == "h"
    case ("l", "?25"), ("h", "?25"): isCursorHidden = end == "l"
    default: break
    }
  }
}
