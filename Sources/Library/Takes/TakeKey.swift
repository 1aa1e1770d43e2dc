internal import Glibc

/// A take's ID in binary form, for fast comparison.
struct TakeKey: Comparable, Sendable {
  static let textBytes = 36

  private let high: UInt64
  private let low: UInt64

  init(high: UInt64, low: UInt64) {
    self.high = high
    self.low = low
  }

  /// Parses a lowercase UUID.
  ///
  /// The buffer must have `textBytes` bytes.
  init?(_ bytes: UnsafePointer<UInt8>) {
    var halves: (UInt64, UInt64) = (0, 0)
    var digits = 0
    for place in 0..<Self.textBytes {
      let byte = bytes[place]
      switch (place, byte) {
      case (8, _), (13, _), (18, _), (23, _):
        guard byte == UInt8(ascii: "-") else { return nil }
        continue
      case (_, 48...57): halves.0 = halves.0 << 4 | UInt64(byte - 48)
      case (_, 97...102): halves.0 = halves.0 << 4 | UInt64(byte - 87)
      default: return nil
      }
      digits += 1
      if digits == 16 { (halves.1, halves.0) = (halves.0, 0) }
    }
    (high, low) = (halves.1, halves.0)
  }

  var id: String {
    var id = [high, low].map { half in
      let text = String(half, radix: 16)
      return String(repeating: "0", count: 16 - text.count) + text
    }.joined()
    for place in [20, 16, 12, 8] { id.insert("-", at: id.index(id.startIndex, offsetBy: place)) }
    return id
  }

  static func < (one: Self, other: Self) -> Bool {
    one.high == other.high ? one.low < other.low : one.high < other.high
  }

  /// Returns the keys of a sorted list that are missing in another sorted list.
  static func difference(_ keys: [Self], _ others: [Self]) -> [Self] {
    var result: [Self] = []
    var place = 0
    for key in keys {
      while place < others.count, others[place] < key { place += 1 }
      if place == others.count || others[place] != key { result.append(key) }
    }
    return result
  }
}

extension TakeFiles {
  /// The takes of a possibly huge folder, without their images.
  struct Census {
    /// Sorted.
    var takes: [TakeKey] = []
    var recordings: [String] = []
    var copies: [String] = []
  }

  func census(inTrash: Bool = false) -> Census {
    var census = Census()
    guard let stream = opendir(inTrash ? trash : folder) else { return census }
    defer { closedir(stream) }
    while let entry = readdir(stream) {
      withUnsafeBytes(of: &entry.pointee.d_name) {
        let name = $0.baseAddress!.assumingMemoryBound(to: UInt8.self)
        let length = strnlen(name, $0.count)
        guard length > TakeKey.textBytes, let key = TakeKey(name) else { return }
        let ending = UnsafeBufferPointer(
          start: name + TakeKey.textBytes, count: length - TakeKey.textBytes)
        if ending.elementsEqual(Self.ending.utf8) {
          census.takes.append(key)
        } else if ending.elementsEqual(Self.recordingEnding.utf8) {
          census.recordings.append(key.id)
        } else if ending.elementsEqual(Self.copyEnding.utf8) {
          census.copies.append(key.id)
        }
      }
    }
    census.takes.sort()
    return census
  }
}
