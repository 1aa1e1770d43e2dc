/// The byte range of a `Range: bytes=…` header.
package struct ByteRange: Equatable {
  /// The range, or nil if the file has no such bytes.
  package let bytes: Range<Int>?

  /// Parses a header.
  ///
  /// Returns nil if it isn't a valid single range; the whole file is then sent.
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
