/// A Scala file (`.scl`): the notes of a tuning above its first.
///
/// The format is that of <https://www.huygens-fokker.org/scala/scl_format.html>.
package struct ScalaFile: Equatable, Sendable {
  /// The error of a Scala file, with its line.
  package struct Fault: Error, Equatable, CustomStringConvertible {
    /// The number of the line, from 1 on.
    package let line: Int
    /// What was wrong, and what would be right.
    package let message: String
    /// The line and the message, on one line.
    package var description: String { "line \(line): \(message)" }

    init(_ line: Int, _ message: String) {
      self.line = line
      self.message = message
    }
  }

  /// The most bytes of a file.
  package static let longestFile = 256 * 1024

  /// The description that the file gives of itself; can be empty.
  package let description: String
  /// The notes in cents above the first one, which is not among them; the last begins it anew.
  ///
  /// They need not rise.
  package let cents: [Double]

  /// Reads a Scala file.
  package init(_ bytes: [UInt8]) throws(Fault) {
    guard bytes.count <= Self.longestFile else {
      throw Fault(1, "a Scala file has at most \(Self.longestFile / 1024) KiB")
    }
    var lines = ScalaLines(bytes)
    guard let description = lines.next() else {
      throw Fault(lines.number, "the file ends before the line that describes the tuning")
    }
    self.description = Self.text(description)
    guard let line = lines.next() else {
      throw Fault(lines.number, "the file ends before the number of notes")
    }
    guard let count = Self.count(line) else {
      throw Fault(
        lines.number, "the second line is the number of notes, such as 12; got \(Self.quoted(line))"
      )
    }
    var cents: [Double] = []
    while cents.count < count {
      guard let line = lines.next() else {
        throw Fault(lines.number, "the file has \(cents.count) notes; it should have \(count)")
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

  // Blanks around the number are allowed. What else follows is left out, as behind a pitch.
  private static func count(_ line: ArraySlice<UInt8>) -> Int? {
    let word = line.drop(while: isBlank).prefix { !isBlank($0) }
    guard word.allSatisfy({ UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }) else { return nil }
    return Int(String(decoding: word, as: UTF8.self))
  }

  static func isBlank(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t")
  }

  /// Decodes a line: UTF-8, or where it is none, Latin-1, as older files are.
  private static func text(_ line: ArraySlice<UInt8>) -> String {
    var line = line.drop(while: isBlank)
    while let last = line.last, isBlank(last) { line.removeLast() }
    if let text = String(validating: line, as: UTF8.self) { return text }
    return String(String.UnicodeScalarView(line.map { Unicode.Scalar($0) }))
  }

  private static func quoted(_ line: ArraySlice<UInt8>) -> String { MusicFault.quoted(text(line)) }
}

/// The lines of a file that are no comments.
struct ScalaLines {
  private var rest: ArraySlice<UInt8>
  /// The number of the line that came last, from 1 on; behind the end, of the last one there is.
  private(set) var number = 0

  init(_ bytes: [UInt8]) {
    let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
    rest = bytes.starts(with: mark) ? bytes[3...] : bytes[...]
  }

  /// Reads the next line, without its end; nil behind the last.
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
