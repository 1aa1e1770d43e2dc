internal import Screen

/// A text table that fits a width: columns shrink, then disappear.
struct TextTable {
  /// A column of the table.
  struct Column {
    let heading: String
    let cells: [String]
    /// Whether its cells are right-aligned.
    var isNumeric = false
    /// The minimum width, if it can be truncated at all.
    var least: Int?
    /// The minimum width while an extra column is visible.
    var comfortable: Int?
    /// Whether the column is hidden if the others need its width.
    var isExtra = false
    /// The order in which columns are hidden if the table is still too wide; nil if never.
    var leaving: Int?

    fileprivate var natural: Int {
      cells.reduce(PlainText.width(heading)) { max($0, PlainText.width($1)) }
    }

    fileprivate var narrowest: Int { min(natural, least ?? natural) }

    fileprivate var narrowestInComfort: Int { min(natural, comfortable ?? natural) }
  }

  private static let gap = 2

  private let columns: [Column]

  /// Creates a table of columns with equal numbers of cells; omits empty columns.
  init(_ columns: [Column]) {
    self.columns = columns.filter { $0.cells.contains { !$0.isEmpty } }
  }

  /// Lays out the table in lines of at most this width.
  func lines(width: Int) -> [String] {
    let (columns, widths) = fitted(width)
    guard let count = columns.first?.cells.count else { return [] }
    return (-1..<count).map { row in
      var line = ""
      for (column, room) in zip(columns, widths) {
        let cell = PlainText.cut(row < 0 ? column.heading : column.cells[row], to: room)
        line += column.isNumeric ? Figure.right(cell, room) : Figure.left(cell, room)
        line += String(repeating: " ", count: Self.gap)
      }
      let end = line.lastIndex { $0 != " " }.map { line.index(after: $0) } ?? line.startIndex
      return PlainText.cut(String(line[..<end]), to: width)
    }
  }

  private func fitted(_ width: Int) -> ([Column], [Int]) {
    var columns = columns
    func isTooWide(_ widths: [Int]) -> Bool {
      widths.reduce(Self.gap * (widths.count - 1), +) > width
    }
    if isTooWide(columns.map(\.narrowestInComfort)) { columns.removeAll(where: \.isExtra) }
    while isTooWide(columns.map(\.narrowest)) {
      let leaving = columns.indices.filter { columns[$0].leaving != nil }
      guard let first = leaving.min(by: { columns[$0].leaving! < columns[$1].leaving! }) else {
        break
      }
      columns.remove(at: first)
    }
    var widths = columns.map(\.natural)
    // The widest column shrinks first, so that short ones stay whole.
    while isTooWide(widths),
      let widest = columns.indices.filter({ widths[$0] > columns[$0].narrowest })
        .max(by: { widths[$0] < widths[$1] })
    {
      widths[widest] -= 1
    }
    return (columns, widths)
  }
}
