/// A Scala file (`.scl`): the notes of a tuning above its first.
///
/// The format is described at <https://www.huygens-fokker.org/scala/scl_format.html>.
package struct ScalaFile: Equatable, Sendable {
  /// A parse error with its line number.
  package struct Fault: Error, Equatable, CustomStringConvertible {
    /// The line number, from 1.
    package let line: Int
    /// The error, and the accepted values.
    package let message: String
    /// The line and the message, on one line.
    package var description: String { "line \(line): \(message)" }

    init(_ line: Int, _ message: String) {
      self.line = line
      self.message = message
    }
  }

  /// The maximum file size, in bytes.
  package static let longestFile = 256 * 1024

  /// The file's description line; may be empty.
  package let description: String
  /// The notes in cents above the first, which isn't included; the last is the period.
  ///
  /// They need not ascend.
  package let cents: [Double]

  /// Parses a Scala file.
  package init(_ bytes: [UInt8]) throws(Fault) {
    guard bytes.count <= Self.longestFile else {
      throw Fault(1, "the Scala file exceeds \(Self.longestFile / 1024) KiB")
    }
    var lines = ScalaLines(bytes)
    guard let description = lines.next() else {
      throw Fault(lines.number, "the file ends before the description")
    }
    self.description = Self.text(description)
    guard let line = lines.next() else {
      throw Fault(lines.number, "the file ends before the number of notes")
    }
    guard let count = Self.count(line) else {
      throw Fault(
        lines.number, "expected the number of notes, such as 12; got \(Self.quoted(line))"
      )
    }
    var cents: [Double] = []
    while cents.count < count {
      guard let line = lines.next() else {
        throw Fault(lines.number, "expected \(count) notes; the file has \(cents.count)")
      }
      var reader = ScalaPitch(line)
      do throws(ScalaPitch.Fault) {
        cents.append(try reader.cents())
      } catch {
        throw Fault(lines.number, "\(error.message); got \(Self.quoted(line))")
      }
    }
    self.cents = cents
  }

  // Blanks around the number are allowed. Anything after it is ignored, as after a pitch.
  private static func count(_ line: ArraySlice<UInt8>) -> Int? {
    let word = line.drop(while: isBlank).prefix { !isBlank($0) }
    guard word.allSatisfy({ UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }) else { return nil }
    return Int(String(decoding: word, as: UTF8.self))
  }

  static func isBlank(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t")
  }

  /// Decodes a line as UTF-8, or else as Latin-1, which older files use.
  private static func text(_ line: ArraySlice<UInt8>) -> String {
    var line = line.drop(while: isBlank)
    while let last = line.last, isBlank(last) { line.removeLast() }
    if let text = String(validating: line, as: UTF8.self) { return text }
    return String(String.UnicodeScalarView(line.map { Unicode.Scalar($0) }))
  }

  private static func quoted(_ line: ArraySlice<UInt8>) -> String { MusicFault.quoted(text(line)) }
}

/// The lines of a file, without comments.
struct ScalaLines {
  private var rest: ArraySlice<UInt8>
  /// The number of the last line read, from 1; at the end, that of the last line.
  private(set) var number = 0

  init(_ bytes: [UInt8]) {
    let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
    rest = bytes.starts(with: mark) ? bytes[3...] : bytes[...]
  }

  /// Returns the next line without its terminator, or nil at the end.
  mutating func next() -> ArraySlice<UInt8>? {
    while !rest.isEmpty {
      number += 1
      let line = rest.prefix { $0 != UInt8(ascii: "\n") && $0 != UInt8(ascii: "\r") }
      rest = rest[line.endIndex...]
      if rest.starts(with: [UInt8(ascii: "\r"), UInt8(ascii: "\n")]) {
        rest = rest.dropFirst(2)
      } else {
        rest = rest.dropFirst()
      }
      if line.first != UInt8(ascii: "!") { return line }
    }
    number = max(number, 1)
    return nil
  }
}
