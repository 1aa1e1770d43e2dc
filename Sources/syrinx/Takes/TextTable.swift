internal import Screen

/// A text table that fits a width: columns shrink, and leave where that is not enough.
struct TextTable {
  /// One column of the table.
  struct Column {
    let heading: String
    let cells: [String]
    /// Whether its cells end, and don't begin, one below the other.
    var isNumeric = false
    /// How narrow it can become, where it can be cut at all.
    var least: Int?
    /// How narrow it can become for the sake of an extra column.
    var comfortable: Int?
    /// Whether it is there only as long as the others have room.
    var isExtra = false
    /// Which column leaves first where the table is too wide still; nil for one that stays.
    var leaving: Int?

    fileprivate var natural: Int {
      cells.reduce(PlainText.width(heading)) { max($0, PlainText.width($1)) }
    }

    fileprivate var narrowest: Int { min(natural, least ?? natural) }

    fileprivate var narrowestInComfort: Int { min(natural, comfortable ?? natural) }
  }

  private static let gap = 2

  private let columns: [Column]

  /// A table of columns that have as many cells each; those without any text are left out.
  init(_ columns: [Column]) {
    self.columns = columns.filter { $0.cells.contains { !$0.isEmpty } }
  }

  /// Lays out the table in lines, none of them wider than this.
  func lines(width: Int) -> [String] {
    let (columns, widths) = fitted(width)
    guard let count = columns.first?.cells.count else { return [] }
    return (-1..<count).map { row in
      var line = ""
      for (column, room) in zip(columns, widths) {
        let cell = PlainText.cut(row < 0 ? column.heading : column.cells[row], to: room)
        let blanks = String(repeating: " ", count: max(0, room - PlainText.width(cell)))
        line += column.isNumeric ? blanks + cell : cell + blanks
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
    // The widest gives first, so that short ones stay whole.
    while isTooWide(widths),
      let widest = columns.indices.filter({ widths[$0] > columns[$0].narrowest })
        .max(by: { widths[$0] < widths[$1] })
    {
      widths[widest] -= 1
    }
    return (columns, widths)
  }
}
