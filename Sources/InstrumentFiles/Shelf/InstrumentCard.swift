internal import JSON
internal import Posix

/// An instrument card: a small JSON file with the instrument's name and the location of its sound.
package struct InstrumentCard: Sendable {
  static let ending = ".json"
  private static let longestFile = 16 * 1024

  package var name: InstrumentName
  /// A one-line description.
  ///
  /// Can be empty.
  package var help = ""
  /// The sort key in the list, ascending.
  package var order = 0
  /// The bank of its soundfont program.
  package var bank: Int?
  /// The number of its soundfont program.
  package var program: Int?
  /// The built-in instrument used as a fallback.
  package var builtIn: BuiltInInstrument?
  /// The path of its file, relative to the data directory.
  ///
  /// Nil means any soundfont.
  package var file: String?

  init(name: InstrumentName) { self.name = name }

  /// Reads a card.
  ///
  /// `name` is the default name, derived from the file name.
  init(path: String, name: InstrumentName) throws(InstrumentFault) {
    let bytes = try system(
      try Files.contents(of: path, atMost: Self.longestFile), or: InstrumentFault.init)
    self.name = name
    do throws(JSON.Fault) {
      try take(try JSON(bytes))
    } catch {
      throw InstrumentFault(.broken, "\(path):\(error.line): \(error)")
    }
  }

  private mutating func take(_ file: JSON) throws(JSON.Fault) {
    guard case .object(let members) = file.content else {
      throw JSON.Fault(file.line, "expected an object; got \(file.kind)")
    }
    for member in members {
      switch (member.name, member.value.content) {
      case ("name", .text(let text)):
        guard let name = try? InstrumentName(text), !name.isOfTheLoop else {
          throw JSON.Fault(member.line, "\(text.prefix(50)) is not a valid instrument name")
        }
        self.name = name
      case ("help", .text(let text)): help = text
      case ("file", .text(let text)): self.file = text
      case ("builtIn", .text(let text)):
        guard let builtIn = BuiltInInstrument(rawValue: text) else {
          let all = BuiltInInstrument.allCases.map(\.name).joined(separator: ", ")
          throw JSON.Fault(member.line, "builtIn must be one of \(all); got \(text.prefix(50))")
        }
        self.builtIn = builtIn
      case ("order", _): order = try Self.whole(member, 0...1_000_000)
      case ("bank", _): bank = try Self.whole(member, 0...128)
      case ("program", _): program = try Self.whole(member, 0...127)
      case ("name", _), ("help", _), ("file", _), ("builtIn", _):
        throw JSON.Fault(member.line, "\(member.name) must be a string; got \(member.value.kind)")
      default:
        throw JSON.Fault(
          member.line,
          "expected name, help, order, bank, program, builtIn and file only; "
            + "got \(member.name.prefix(50))")
      }
    }
    guard self.file != nil || program != nil || builtIn != nil else {
      throw JSON.Fault(file.line, "missing program, builtIn or file")
    }
  }

  private static func whole(
    _ member: JSON.Member, _ range: ClosedRange<Int>
  ) throws(JSON.Fault) -> Int {
    guard case .number(let number) = member.value.content, number == number.rounded(),
      range.contains(Int(max(-1, min(1e9, number))))
    else {
      throw JSON.Fault(
        member.line,
        "\(member.name) must be a whole number from \(range.lowerBound) to \(range.upperBound)")
    }
    return Int(number)
  }

  /// The content of the card's file.
  var text: String {
    var lines = ["\"name\": \(JSON.written(name.text))"]
    if let file { lines.append("\"file\": \(JSON.written(file))") }
    if let bank { lines.append("\"bank\": \(bank)") }
    if let program { lines.append("\"program\": \(program)") }
    return "{\n" + lines.map { "  \($0)" }.joined(separator: ",\n") + "\n}\n"
  }
}
