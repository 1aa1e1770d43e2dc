/// A parser of `getaudio` responses that takes bytes as they arrive, and holds a single row at a time
/// besides the posts it returns.
///
/// Such a response has all posts of a board with their sounds. Rows come newest first, in an object or
/// in a bare array.
package struct BoardList {
  // Older posts are ignored.
  private static let mostRows = 10_000
  private static let mostTextBytes = 16 << 20
  // The Base64 of a sound, with texts.
  private static let mostRowBytes = 24 << 20
  private static let deepest = 16
  // So many rows in a foreign form are not a list of posts.
  private static let mostForeign = 1000
  private static let nameOfList = Array("chatts".utf8)

  /// The rows, newest first.
  ///
  /// Their sounds are included up to the limit.
  package private(set) var rows: [BoardRow] = []

  private let mostSoundBytes: Int
  private let wanted: String?
  // The opening brackets.
  private var open: [UInt8] = []
  private var isInText = false
  private var isEscaped = false
  private var hasEnded = false
  // The last text directly in the object: the name of what follows.
  private var name: [UInt8] = []
  private var hasList = false
  private var isInList = false
  // The bytes of the row being received, or nil outside of one.
  private var row: [UInt8]?
  private var soundBytes = 0
  private var textBytes = 0
  private var foreignCount = 0

  /// Creates a parser that returns the first sounds in Base64, up to a limit in bytes, and that of a
  /// wanted row.
  package init(mostSoundBytes: Int, wanted key: String? = nil) {
    self.mostSoundBytes = mostSoundBytes
    wanted = key
  }

  /// Returns the rows of a whole response with all their sounds, or nil if it is malformed.
  package static func rows(in bytes: [UInt8]) -> [BoardRow]? {
    var list = BoardList(mostSoundBytes: bytes.count)
    return bytes.withUnsafeBytes { list.take($0) } && list.isWhole ? list.rows : nil
  }

  /// Whether the list is complete.
  package var isWhole: Bool { hasEnded && hasList && foreignCount <= rows.count }

  /// Parses the next bytes.
  ///
  /// Returns false if they can't belong to a list of posts.
  package mutating func take(_ bytes: UnsafeRawBufferPointer) -> Bool {
    // The part of the row in these bytes.
    var start = 0
    for index in bytes.indices {
      let byte = bytes[index]
      if isInText {
        readText(byte)
        continue
      }
      switch byte {
      case UInt8(ascii: "\""):
        guard !open.isEmpty else { return false }
        isInText = true
        if open.count == 1 { name = [] }
      case UInt8(ascii: "["), UInt8(ascii: "{"):
        guard !hasEnded, open.count < Self.deepest else { return false }
        if isInList, row == nil, open.count == depthOfRows {
          row = []
          start = index
        }
        open.append(byte)
        if byte == UInt8(ascii: "["), open.count == depthOfRows { beginList() }
      case UInt8(ascii: "]"), UInt8(ascii: "}"):
        // The brackets differ by two in ASCII.
        guard open.popLast() == byte - 2 else { return false }
        if row != nil, open.count == depthOfRows {
          guard endRow(bytes[start...index]) else { return false }
        } else if row == nil, open.count < depthOfRows {
          isInList = false
        }
        hasEnded = open.isEmpty
      default:
        if open.isEmpty, !Self.isBlank(byte) { return false }
      }
    }
    guard row != nil else { return true }
    return append(bytes[start...])
  }

  private mutating func readText(_ byte: UInt8) {
    if isEscaped {
      isEscaped = false
    } else if byte == UInt8(ascii: "\\") {
      isEscaped = true
    } else if byte == UInt8(ascii: "\"") {
      isInText = false
    }
    if open.count == 1, isInText, name.count <= Self.nameOfList.count { name.append(byte) }
  }

  /// The number of open brackets around a row.
  private var depthOfRows: Int { open.first == UInt8(ascii: "{") ? 2 : 1 }

  private mutating func beginList() {
    // Without a list of the usual name, it is the first one.
    let isNamed = open.count == 2 && name == Self.nameOfList
    guard !hasList || isNamed else { return }
    if hasList { (rows, soundBytes, textBytes, foreignCount) = ([], 0, 0, 0) }
    (hasList, isInList) = (true, true)
  }

  private mutating func append(_ bytes: Slice<UnsafeRawBufferPointer>) -> Bool {
    guard (row?.count ?? 0) + bytes.count <= Self.mostRowBytes else { return false }
    row?.append(contentsOf: bytes)
    return true
  }

  private mutating func endRow(_ bytes: Slice<UnsafeRawBufferPointer>) -> Bool {
    guard append(bytes), let whole = row else { return false }
    row = nil
    let isFull = rows.count >= Self.mostRows || textBytes > Self.mostTextBytes
    if isFull, wanted == nil { return true }
    guard var new = BoardRow(whole) else {
      foreignCount += 1
      return foreignCount <= Self.mostForeign
    }
    let size = new.audio?.utf8.count ?? 0
    if new.key != wanted {
      if isFull { return true }
      if soundBytes + size > mostSoundBytes { new.audio = nil } else { soundBytes += size }
    }
    textBytes += new.textBytes
    rows.append(new)
    return true
  }

  private static func isBlank(_ byte: UInt8) -> Bool {
    [9, 10, 13, 32, 0xEF, 0xBB, 0xBF].contains(byte)
  }
}
