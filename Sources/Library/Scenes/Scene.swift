package import JSON

/// A scene: the values, loops, song and programs that a switch sets together, as stored in a file.
///
/// It is not checked whether the addresses exist and accept the values.
package struct Scene: Sendable {
  /// The playback of songs.
  package enum Song: Equatable, Sendable {
    /// Plays the song with a number, from 1.
    case play(Int)
    case stop
  }

  /// A program change.
  package struct Program: Equatable, Sendable {
    /// The channel, from 1.
    package let channel: Int
    /// The program, from 1.
    package let number: Int

    package init(channel: Int, number: Int) {
      self.channel = channel
      self.number = number
    }
  }

  /// The maximum file size in bytes.
  package static let longestFile = 256 * 1024

  /// A one-line description.
  package var help = ""
  /// The name of a preset whose values are set first; empty for none.
  package var preset = ""
  /// The values, in file order.
  package var settings: [Preset.Setting] = []
  /// The name of a loop set; empty for none.
  package var loopSet = ""
  /// The numbers of the loops that play, and of those that are stopped, from 1.
  package var playing: [Int] = []
  package var stopped: [Int] = []
  /// Nil leaves the songs alone.
  package var song: Song?
  package var programs: [Program] = []
  /// The addresses that the scene is limited to, with all that begin with them; empty for all.
  package var only: [String] = []
  /// The addresses that the scene leaves alone, with all that begin with them.
  package var but: [String] = []

  /// The line of each limit in the file.
  package private(set) var limitLines: [String: Int] = [:]

  package init() {}

  /// Whether the scene may set an address.
  package func covers(_ path: String) -> Bool {
    func isIn(_ list: [String]) -> Bool {
      list.contains { path == $0 || path.hasPrefix($0.hasSuffix("/") ? $0 : $0 + "/") }
    }
    return (only.isEmpty || isIn(only)) && !isIn(but)
  }
}

extension Scene {
  /// Parses a file, and adds an entry to `faults` for each part that is malformed.
  package init(_ bytes: [UInt8], _ faults: inout [JSON.Fault]) {
    do throws(JSON.Fault) {
      let file = try JSON(bytes)
      guard case .object(let members) = file.content else {
        throw JSON.Fault(file.line, "expected an object; got \(file.kind)")
      }
      for member in members {
        do throws(JSON.Fault) { try read(member, &faults) } catch { faults.append(error) }
      }
    } catch {
      faults.append(error)
    }
  }

  private mutating func read(
    _ member: JSON.Member, _ faults: inout [JSON.Fault]
  ) throws(JSON.Fault) {
    switch member.name {
    case "help": help = try Self.text(member)
    case "preset": preset = try Self.text(member)
    case "only": only = try limits(member)
    case "but": but = try limits(member)
    case "set":
      for pair in try Self.object(member) {
        do throws(JSON.Fault) { settings.append(try Preset.setting(pair)) } catch {
          faults.append(error)
        }
      }
    case "loops":
      for part in try Self.object(member) {
        do throws(JSON.Fault) { try readLoops(part) } catch { faults.append(error) }
      }
    case "song":
      switch member.value.content {
      case .flag(false): song = .stop
      case .number(let number) where number >= 1 && number == number.rounded():
        song = .play(Int(min(number, 1e6)))
      default:
        throw JSON.Fault(
          member.line, "song must be a whole number from 1, or false to stop")
      }
    case "programs":
      for item in try Self.list(member) {
        do throws(JSON.Fault) { programs.append(try Self.program(item)) } catch {
          faults.append(error)
        }
      }
    default:
      throw JSON.Fault(
        member.line,
        "expected help, only, but, preset, set, loops, song and programs only; got "
          + "\(member.name.prefix(50))")
    }
  }

  private mutating func readLoops(_ part: JSON.Member) throws(JSON.Fault) {
    switch part.name {
    case "set": loopSet = try Self.text(part)
    case "play": playing = try Self.numbers(part)
    case "stop": stopped = try Self.numbers(part)
    default:
      throw JSON.Fault(
        part.line, "loops: expected set, play and stop only; got \(part.name.prefix(50))")
    }
  }

  // MARK: - Values

  static func text(_ member: JSON.Member) throws(JSON.Fault) -> String {
    guard let text = member.value.text else {
      throw JSON.Fault(member.line, "\(member.name) must be a string; got \(member.value.kind)")
    }
    return text
  }

  static func list(_ member: JSON.Member) throws(JSON.Fault) -> [JSON] {
    guard let list = member.value.list else {
      throw JSON.Fault(member.line, "\(member.name) must be a list; got \(member.value.kind)")
    }
    return list
  }

  private static func object(_ member: JSON.Member) throws(JSON.Fault) -> [JSON.Member] {
    guard case .object(let members) = member.value.content else {
      throw JSON.Fault(member.line, "\(member.name) must be an object; got \(member.value.kind)")
    }
    return members
  }

  private mutating func limits(_ member: JSON.Member) throws(JSON.Fault) -> [String] {
    var found: [String] = []
    for item in try Self.list(member) {
      guard let text = item.text, text.hasPrefix("/") else {
        throw JSON.Fault(
          item.line, "\(member.name) takes addresses such as /echo; got \(item.kind)")
      }
      found.append(text)
      limitLines[text] = item.line
    }
    return found
  }

  private static func numbers(_ member: JSON.Member) throws(JSON.Fault) -> [Int] {
    var found: [Int] = []
    for item in try list(member) {
      guard let number = item.whole, number >= 1 else {
        throw JSON.Fault(item.line, "\(member.name) takes numbers of loops, from 1")
      }
      found.append(number)
    }
    return found
  }

  private static func program(_ item: JSON) throws(JSON.Fault) -> Program {
    let channel = item["channel"] == nil ? 1 : item["channel"]?.whole
    guard let channel, let number = item["program"]?.whole, 1...16 ~= channel, 1...128 ~= number
    else {
      throw JSON.Fault(
        item.line,
        "programs takes objects of program (1 to 128) and channel (1 to 16, 1 if it is missing)")
    }
    return Program(channel: channel, number: number)
  }

  // MARK: - Writing

  /// The content of the file, with one line per setting, which suits line-based diffs.
  package var text: String {
    var members: [String] = []
    func add(_ name: String, _ value: String) { members.append("  \"\(name)\": \(value)") }
    func addresses(_ list: [String]) -> String {
      "[\(list.map(JSON.written).joined(separator: ", "))]"
    }
    if !help.isEmpty { add("help", JSON.written(help)) }
    if !only.isEmpty { add("only", addresses(only)) }
    if !but.isEmpty { add("but", addresses(but)) }
    if !preset.isEmpty { add("preset", JSON.written(preset)) }
    if !settings.isEmpty {
      let lines = settings.map { "\n    \(JSON.written($0.address)): \($0.value.text)" }
      add("set", "{\(lines.joined(separator: ","))\n  }")
    }
    var loops: [String] = []
    if !loopSet.isEmpty { loops.append("\"set\": \(JSON.written(loopSet))") }
    if !playing.isEmpty { loops.append("\"play\": \(playing)") }
    if !stopped.isEmpty { loops.append("\"stop\": \(stopped)") }
    if !loops.isEmpty { add("loops", "{ \(loops.joined(separator: ", ")) }") }
    switch song {
    case .play(let number): add("song", "\(number)")
    case .stop: add("song", "false")
    case nil: break
    }
    if !programs.isEmpty {
      let lines = programs.map { "{ \"channel\": \($0.channel), \"program\": \($0.number) }" }
      add("programs", "[\(lines.joined(separator: ", "))]")
    }
    return "{\n\(members.joined(separator: ",\n"))\n}\n"
  }
}

extension Preset.Value {
  /// The value as JSON.
  fileprivate var text: String {
    switch self {
    case .number(let number): JSON.written(Float(number))
    case .flag(let flag): "\(flag)"
    case .text(let text): JSON.written(text)
    }
  }
}
