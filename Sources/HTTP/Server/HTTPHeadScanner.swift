/// A scanner that finds the end of a request's head as it arrives, and refuses bytes that no head may contain.
struct HTTPHeadScanner {
  /// The result of a scan.
  enum Result: Equatable {
    /// The head is not complete.
    case open
    /// The head has this many bytes.
    case whole(Int)
    case malformed
  }

  private var scanned = 0
  private var lineStart = 0

  /// Scans the new bytes of a head; `bytes` begins with the first one of it.
  mutating func scan(_ bytes: [UInt8]) -> Result {
    while scanned < bytes.count {
      let byte = bytes[scanned]
      let isAfterReturn = scanned > lineStart && bytes[scanned - 1] == 13
      switch byte {
      case 10:
        // A bare line feed ends a line for some servers only.
        guard isAfterReturn else { return .malformed }
        if scanned == lineStart + 1 { return .whole(scanned + 1) }
        lineStart = scanned + 1
      case _ where isAfterReturn: return .malformed
      case 9, 13, 32...126, 128...255: break
      default: return .malformed
      }
      scanned += 1
    }
    return .open
  }

  /// Whether the request line is complete.
  var isBehindFirstLine: Bool { lineStart > 0 }
}
