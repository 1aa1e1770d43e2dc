/// A part of a file that is asked for by `Range: bytes=…`.
package struct ByteRange: Equatable {
  /// The part; nil where the file has none such.
  package let bytes: Range<Int>?

  /// The one part that a header asks for; nil where it is no range of one part, and all is sent.
  package init?(_ header: String, size: Int) {
    guard header.hasPrefix("bytes="), !header.contains(",") else { return nil }
    let ends = header.dropFirst(6).split(separator: "-", omittingEmptySubsequences: false)
    guard ends.count == 2, ends.allSatisfy({ $0.utf8.allSatisfy { 48...57 ~= $0 } }) else {
      return nil
    }
    let (first, last) = (Int(ends[0]), Int(ends[1]))
    guard ends[0].isEmpty == (first == nil), ends[1].isEmpty == (last == nil) else { return nil }
    switch (first, last) {
    case (nil, nil): return nil
    case (nil, let count?): bytes = count > 0 && size > 0 ? max(0, size - count)..<size : nil
    case (let first?, let last):
      if let last, last < first { return nil }
      bytes = first < size ? first..<min(size - 1, last ?? size - 1) + 1 : nil
    }
  }
}
