package import JSON

/// A preset: addresses and their values, as stored in a file.
///
/// It is not checked whether the addresses exist and accept the values.
package struct Preset: Sendable {
  /// An address with its value.
  package struct Setting: Sendable {
    package let address: String
    package let value: Value
    /// The line number in the file.
    package let line: Int

    /// Creates a setting, by default without a file.
    package init(address: String, value: Value, line: Int = 0) {
      self.address = address
      self.value = value
      self.line = line
    }
  }

  /// The value of a setting.
  package enum Value: Equatable, Sendable {
    case number(Double)
    case flag(Bool)
    case text(String)
  }

  /// The maximum file size in bytes.
  package static let longestFile = 256 * 1024

  /// A one-line description.
  ///
  /// Can be empty.
  package let help: String
  /// The settings, in file order.
  package let settings: [Setting]

  /// Creates a preset from settings.
  package init(help: String = "", settings: [Setting]) {
    self.help = help
    self.settings = settings
  }

  /// Parses a file: an object whose `set` is an object of addresses and values, with an optional
  /// `help`.
  package init(_ bytes: [UInt8]) throws(JSON.Fault) {
    let file = try JSON(bytes)
    guard case .object(let members) = file.content else {
      throw JSON.Fault(file.line, "expected an object; got \(file.kind)")
    }
    var help = ""
    var settings: [Setting]?
    for member in members {
      switch (member.name, member.value.content) {
      case ("help", .text(let text)): help = text
      case ("set", .object(let pairs)):
        var list: [Setting] = []
        for pair in pairs { list.append(try Self.setting(pair)) }
        settings = list
      case ("help", _):
        throw JSON.Fault(member.line, "help must be a string; got \(member.value.kind)")
      case ("set", _):
        throw JSON.Fault(
          member.line, "set must be an object of addresses and values; got \(member.value.kind)")
      default:
        throw JSON.Fault(
          member.line, "expected help and set only; got \(member.name.prefix(50))")
      }
    }
    guard let settings else {
      throw JSON.Fault(file.line, "missing set, an object of addresses and values")
    }
    self.init(help: help, settings: settings)
  }

  static func setting(_ member: JSON.Member) throws(JSON.Fault) -> Setting {
    let value: Value =
      switch member.value.content {
      case .number(let number): .number(number)
      case .flag(let flag): .flag(flag)
      case .text(let text): .text(text)
      default:
        throw JSON.Fault(
          member.line,
          "\(member.name.prefix(50)) takes a number or a string; got \(member.value.kind)")
      }
    return Setting(address: member.name, value: value, line: member.line)
  }

  /// The content of the file, with one line per setting, which suits line-based diffs.
  package var text: String {
    let help = help.isEmpty ? "" : "  \"help\": \(JSON.written(help)),\n"
    let lines = settings.map { setting in
      let value =
        switch setting.value {
        case .number(let number): JSON.written(Float(number))
        case .flag(let flag): "\(flag)"
        case .text(let text): JSON.written(text)
        }
      return "\n    \(JSON.written(setting.address)): \(value)"
    }
    return "{\n\(help)  \"set\": {\(lines.joined(separator: ","))\n  }\n}\n"
  }
}
