internal import Posix

/// An SFZ file with its includes, parsed into headers with their opcodes.
struct SFZText {
  /// A header such as `<region>` and the opcodes that follow it, in order.
  struct Section {
    let name: String
    var opcodes: [(name: String, value: String)] = []
  }

  // Far more than any real instrument has.
  private static let mostBytes = 16 << 20
  private static let mostFiles = 1000
  private static let deepest = 16
  private static let mostSections = 100_000
  private static let mostOpcodes = 1_000_000
  private static let longestLine = 65_536
  private static let longestName = 64

  private(set) var sections: [Section] = []
  private(set) var faults: [String] = []
  private let place: SFZPlace
  private var defines: [Substring: String] = [:]
  private var bytes = 0
  private var files = 0
  private var opcodes = 0

  /// Reads a file by its name, relative to a place.
  init(_ file: String, in place: SFZPlace) throws(InstrumentFault) {
    self.place = place
    try read(place.path(of: file), depth: 0)
  }

  private mutating func read(_ path: String, depth: Int) throws(InstrumentFault) {
    files += 1
    guard depth < Self.deepest, files <= Self.mostFiles else {
      throw InstrumentFault(.broken, "\(path) includes itself, or is nested too deeply")
    }
    let content = try system(
      try Files.contents(of: path, atMost: Self.mostBytes), or: InstrumentFault.init)
    bytes += content.count
    guard bytes <= Self.mostBytes, !content.contains(0) else {
      throw InstrumentFault(.broken, "\(path) is not an SFZ file: expected text of at most 16 MB")
    }
    let text = Self.withoutComments(content)
    for line in text.split(whereSeparator: \.isNewline) {
      guard line.utf8.count <= Self.longestLine else {
        throw InstrumentFault(.broken, "\(path) is not an SFZ file: a line is too long")
      }
      let line = line.drop(while: Self.isSpace)
      if line.hasPrefix("#include") {
        try include(line.dropFirst(8), depth: depth)
      } else if line.hasPrefix("#define") {
        try define(line.dropFirst(7))
      } else {
        try add(expanded(line), path)
      }
    }
  }

  /// Removes comments: `/* … */` and from `//` to the end of the line.
  private static func withoutComments(_ bytes: [UInt8]) -> String {
    var kept: [UInt8] = []
    kept.reserveCapacity(bytes.count)
    var index = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
    let (slash, star) = (UInt8(ascii: "/"), UInt8(ascii: "*"))
    while index < bytes.count {
      let next = index + 1 < bytes.count ? bytes[index + 1] : 0
      if bytes[index] == slash, next == slash {
        while index < bytes.count, bytes[index] != 10, bytes[index] != 13 { index += 1 }
      } else if bytes[index] == slash, next == star {
        index += 2
        while index < bytes.count {
          if bytes[index] == star, index + 1 < bytes.count, bytes[index + 1] == slash { break }
          index += 1
        }
        index += 2
      } else {
        kept.append(bytes[index])
        index += 1
      }
    }
    return String(decoding: kept, as: UTF8.self)
  }

  // MARK: - Directives

  private mutating func include(_ rest: Substring, depth: Int) throws(InstrumentFault) {
    let parts = try expanded(rest).split(separator: "\"", omittingEmptySubsequences: false)
    guard parts.count >= 3 else {
      faults.append("an #include needs a name in quotes")
      return
    }
    try read(place.path(of: String(parts[1])), depth: depth + 1)
  }

  private mutating func define(_ rest: Substring) throws(InstrumentFault) {
    let parts = rest.split(whereSeparator: Self.isSpace)
    guard parts.count >= 2, parts[0].hasPrefix("$"),
      (2...Self.longestName).contains(parts[0].count),
      parts[0].dropFirst().allSatisfy(Self.isOfName)
    else {
      if faults.isEmpty { faults.append("a #define needs a name such as $KEY, and a value") }
      return
    }
    defines[parts[0].dropFirst()] = try expanded(parts[1])
  }

  private static func isOfName(_ character: Character) -> Bool {
    character.isASCII && (character.isLetter || character.isNumber || character == "_")
  }

  private static func isSpace(_ character: Character) -> Bool {
    character == " " || character == "\t"
  }

  /// Expands the defined variables in a line.
  ///
  /// The longest matching name wins.
  private mutating func expanded(_ line: Substring) throws(InstrumentFault) -> String {
    guard !defines.isEmpty, line.contains("$") else { return String(line) }
    var result = ""
    var rest = line
    while let sign = rest.firstIndex(of: "$") {
      result += rest[..<sign]
      rest = rest[rest.index(after: sign)...]
      var name = rest.prefix(Self.longestName).prefix(while: Self.isOfName)
      while !name.isEmpty, defines[name] == nil { name.removeLast() }
      result += defines[name] ?? "$"
      rest = rest[name.endIndex...]
      guard bytes + result.utf8.count <= Self.mostBytes else {
        throw InstrumentFault(.broken, "the definitions of the SFZ file grow without bound")
      }
    }
    result += rest
    bytes += result.utf8.count
    return result
  }

  // MARK: - Headers and opcodes

  private mutating func add(_ line: String, _ path: String) throws(InstrumentFault) {
    var rest = line[...]
    while true {
      rest = rest.drop(while: Self.isSpace)
      guard !rest.isEmpty else { return }
      if rest.hasPrefix("<") {
        guard let end = rest.firstIndex(of: ">") else {
          throw InstrumentFault(.broken, "\(path) is not an SFZ file: a header lacks its >")
        }
        sections.append(Section(name: rest[rest.index(after: rest.startIndex)..<end].lowercased()))
        rest = rest[rest.index(after: end)...]
      } else if let equals = rest.firstIndex(of: "="), !sections.isEmpty {
        let name = rest[..<equals].split(separator: " ").last.map { $0.lowercased() } ?? ""
        let (value, left) = Self.value(rest[rest.index(after: equals)...])
        sections[sections.count - 1].opcodes.append((name, value))
        opcodes += 1
        rest = left
      } else {
        throw InstrumentFault(
          .broken,
          "\(path) is not an SFZ file: "
            + "\"\(rest.prefix(40))\" is neither a header nor an opcode")
      }
      guard sections.count <= Self.mostSections, opcodes <= Self.mostOpcodes else {
        throw InstrumentFault(.broken, "\(path) has too many regions")
      }
    }
  }

  /// Splits off the value at the beginning.
  ///
  /// A value may contain spaces. It ends before the next opcode, the next header, or at the end of
  /// the line.
  private static func value(_ rest: Substring) -> (String, Substring) {
    let equals = rest.firstIndex(of: "=")
    var end = equals ?? rest.endIndex
    if let header = rest[..<end].firstIndex(of: "<") {
      end = header
    } else if equals != nil {
      // The name of the next opcode is the last word before its equals sign.
      end = rest[..<end].lastIndex(where: isSpace) ?? rest.startIndex
    }
    var value = rest[..<end]
    while let last = value.last, isSpace(last) { value.removeLast() }
    return (String(value.drop(while: isSpace)), rest[end...])
  }
}
