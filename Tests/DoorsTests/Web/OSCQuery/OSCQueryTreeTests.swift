import Control
import JSON
import OSC
import Testing

@testable import Doors

/// The address tree in OSCQuery's JSON.
@Suite struct OSCQueryTreeTests {
  private let table = AddressTable.node

  private func tree(_ values: [String: [Argument]] = [:]) -> OSCQueryTree {
    OSCQueryTree(
      table, values: table.addresses.map { values[$0.path] },
      extents: table.addresses.map { $0.standsForMany ? [3, 4] : [] })
  }

  /// An object's members by name.
  private func members(_ json: JSON) -> [String: JSON] {
    guard case .object(let members) = json.content else { return [:] }
    return Dictionary(uniqueKeysWithValues: members.map { ($0.name, $0.value) })
  }

  private func text(_ json: JSON?) -> String? {
    if case .text(let text)? = json?.content { text } else { nil }
  }

  private func list(_ json: JSON?) -> [JSON]? {
    if case .list(let list)? = json?.content { list } else { nil }
  }

  private func number(_ json: JSON?) -> Double? {
    if case .number(let number)? = json?.content { number } else { nil }
  }

  private func parsed(_ reply: OSCQueryTree.Reply) throws -> JSON {
    guard case .json(let text) = reply else {
      Issue.record("\(reply)")
      return try JSON(Array("{}".utf8))
    }
    return try JSON(Array(text.utf8))
  }

  /// Visits each node, with its faults for clients that require more than the proposal does.
  private func walk(_ json: JSON, _ name: String, _ visit: (String, [String: JSON]) -> Void) {
    let node = members(json)
    visit(name, node)
    let children = node["CONTENTS"].map(members) ?? [:]
    for (name, child) in children { walk(child, name, visit) }
  }

  @Test func `it has every address, with everything that strict clients require`() throws {
    var paths: Set<String> = []
    walk(try parsed(tree().reply(to: "/", nil)), "") { name, node in
      let path = text(node["FULL_PATH"]) ?? ""
      paths.insert(path)
      #expect(path == "/" || path.hasSuffix("/" + name))
      #expect(!path.dropFirst().contains { " #*,?[]{}".contains($0) }, "\(path)")
      let access = number(node["ACCESS"])
      if node["CONTENTS"] != nil {
        #expect(node["VALUE"] == nil && access == 0, "\(path)")
      } else {
        let values = list(node["VALUE"])?.count ?? 0
        #expect(values > 0 && (1...3).contains(access ?? 0), "\(path)")
        #expect(values == text(node["TYPE"])?.count, "\(path)")
        #expect(text(node["DESCRIPTION"])?.isEmpty == false, "\(path)")
      }
    }
    for address in table.addresses where !address.standsForMany {
      #expect(paths.contains(address.path))
    }
    #expect(paths.contains("/grid/3/4") && !paths.contains("/grid/4/1"))
  }

  @Test func `a value has its range, its unit and its access`() throws {
    let node = members(
      try parsed(tree(["/pitch/semitones": [.float(-2.5)]]).reply(to: "/pitch/semitones", nil)))
    #expect(text(node["TYPE"]) == "f" && number(node["ACCESS"]) == 3)
    #expect(list(node["VALUE"])?.map(number) == [-2.5])
    let range = members(try #require(list(node["RANGE"])?.first))
    #expect(number(range["MIN"]) == -24 && number(range["MAX"]) == 24)
    #expect(list(node["UNIT"])?.map(text) == ["semitones"])
    #expect(list(node["CLIPMODE"])?.map(text) == ["none"])
    #expect(list(node["DEFAULT"])?.map(number) == [0])
    let engine = members(
      try parsed(tree(["/pitch/engine": [.string("live")]]).reply(to: "/pitch/engine", nil)))
    let words = members(try #require(list(engine["RANGE"])?.first))
    #expect(list(words["VALS"])?.map(text) == ["live", "voice", "studio"])
  }

  @Test func `a value whose write has an audible effect has no range`() {
    // A position in a clip, something that starts, and an action.
    for path in ["/player/position", "/capture/on", "/grid/touch", "/note/on", "/grid/1/2"] {
      #expect(tree().reply(to: path, "RANGE") == .nothing, "\(path)")
    }
  }

  @Test func `one attribute is returned alone, also of a node with children`() {
    let tree = tree(["/preset": [.string("robin")], "/mute": [.int32(1)]])
    #expect(tree.reply(to: "/mute", "VALUE") == .json(#"{"VALUE":[1]}"#))
    #expect(tree.reply(to: "/preset", "VALUE") == .json(#"{"VALUE":["robin"]}"#))
    #expect(tree.reply(to: "/preset", "ACCESS") == .json(#"{"ACCESS":3}"#))
    #expect(tree.reply(to: "/pitch", "TYPE") == .json("{}"))
    #expect(tree.reply(to: "/pitch", "ACCESS") == .json(#"{"ACCESS":0}"#))
  }

  @Test func `missing nodes and attributes are reported`() {
    #expect(tree().reply(to: "/nothing", nil) == .missing)
    #expect(tree().reply(to: "/grid/9/9", nil) == .missing)
    #expect(tree().reply(to: "/grid/{row}/{column}", nil) == .missing)
    #expect(tree().reply(to: "/mute", "COLOUR") == .nothing)
    #expect(tree().reply(to: "/mute", "UNIT") == .nothing)
  }

  @Test func `NaN and infinity are null`() throws {
    let node = members(
      try parsed(tree(["/location": [.float(.nan), .float(9.5)]]).reply(to: "/location", nil)))
    let values = try #require(list(node["VALUE"]))
    #expect(values[0].kind == "null" && number(values[1]) == 9.5)
  }

  @Test func `only commands are parsed`() {
    func command(_ text: String) -> SocketCommand? { SocketCommand(Array(text.utf8)) }
    #expect(command(#"{"COMMAND":"LISTEN","DATA":"/mute"}"#) == .listen("/mute"))
    #expect(command(#"{"DATA":"/mute","COMMAND":"IGNORE"}"#) == .ignore("/mute"))
    #expect(command(#"{"COMMAND":"PAIR","DATA":""}"#) == .pair(""))
    for other in [
      "", "{}", "[]", "null", #"{"COMMAND":"LISTEN"}"#, #"{"COMMAND":"LISTEN","DATA":7}"#,
      #"{"COMMAND":"START_OSC_STREAMING","DATA":"x"}"#, String(repeating: "[", count: 1000),
      #"{"COMMAND":"LISTEN","DATA":"/mute","more":[0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0]}"#,
    ] {
      #expect(command(other) == nil, "\(other.prefix(40))")
    }
  }
}
