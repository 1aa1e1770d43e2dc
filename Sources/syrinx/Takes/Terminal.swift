internal import Glibc
internal import Posix

/// The terminal on standard output, if it is one.
enum Terminal {
  private static let usualWidth = 80

  /// The terminal's width in columns: its own, else from COLUMNS; nil without a terminal.
  static var width: Int? {
    guard isatty(1) == 1 else { return nil }
    if let size = Environment.size(ofTerminal: 1) { return size.columns }
    if let columns = Environment["COLUMNS"].flatMap({ Int($0) }), columns > 0 { return columns }
    return usualWidth
  }
}
