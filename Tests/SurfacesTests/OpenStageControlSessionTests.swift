import Control
import Foundation
import Looks
import Surfaces
import TestSupport
import Testing

@Suite struct OpenStageControlSessionTests {
  private let table = AddressTable.widest

  private typealias Object = [String: Any]

  private func session() throws -> Object {
    let json = try OpenStageControlSession.json()
    return try #require(try JSONSerialization.jsonObject(with: Data(json.utf8)) as? Object)
  }

  /// All widgets, from the root down.
  private func widgets() throws -> [Object] {
    func all(_ widget: Object) -> [Object] {
      let below = ["tabs", "widgets"].flatMap { widget[$0] as? [Object] ?? [] }
      return [widget] + below.flatMap(all)
    }
    return all(try #require(try session()["content"] as? Object))
  }

  private func declared(_ path: String) -> Address? {
    if let address = table[path] { return address }
    return Array(path.utf8).withUnsafeBytes(table.numbered).map { table.addresses[$0.index] }
  }

  @Test func `it is a session with a tab for each page`() throws {
    let session = try session()
    #expect(session["type"] as? String == "session")
    let root = try #require(session["content"] as? Object)
    #expect(root["type"] as? String == "root" && root["id"] as? String == "root")
    let tabs = try #require(root["tabs"] as? [Object])
    #expect(
      tabs.map { $0["label"] as? String } == [
        "Voice", "Presets", "Loops", "More", "Loop", "Grid", "Piano", "Takes", "Mix", "Feed",
        "Scale", "Menu", "Timing", "Scenes",
      ])
    let script = try #require(root["onCreate"] as? String)
    #expect(script.contains("send('/subscribe')") && script.contains("send('/ping')"))
  }

  @Test func `widgets have unique names`() throws {
    let ids = try widgets().compactMap { $0["id"] as? String }
    #expect(try widgets().count == ids.count && Set(ids).count == ids.count)
  }

  @Test func `each widget fits its address and range`() throws {
    var count = 0
    for widget in try widgets() {
      guard let path = widget["address"] as? String, path != "auto" else { continue }
      let address = try #require(declared(path), "\(path)")
      count += 1
      if widget["bypass"] as? Bool == true { continue }
      let tags = widget["typeTags"] as? String ?? ""
      #expect(tags.isEmpty || address.types.hasPrefix(tags), "\(path)")
      switch (widget["type"] as? String, widget["mode"] as? String) {
      case ("fader", _):
        let range = try #require(widget["range"] as? [String: Double])
        #expect(range["min"].map { Float($0) } == address.range.least)
        #expect(range["max"].map { Float($0) } == address.range.greatest)
      case ("button", "tap"):
        if let word = widget["on"] as? String {
          #expect(address.types.hasPrefix("s"))
          if let words = address.words { #expect(words.contains(word)) }
        } else {
          let number = try #require(widget["on"] as? Double)
          #expect(address.forms[0].range.contains(number), "\(path)")
        }
      case ("button", "momentary"): #expect(!address.hasValue, "a question does nothing: \(path)")
      case ("button", "toggle"): #expect(address.range == (0, 1) && tags == "i")
      case ("button", "push"): #expect(tags == "f")
      case ("dropdown", _): #expect(address.types.hasPrefix("s"))
      case ("input", _): #expect(address.types == "i")
      default: Issue.record("\(path) is driven by what nobody knows")
      }
    }
    #expect(count > 230)
  }

  @Test func `each address in a script or a property is in the table`() throws {
    var found: Set<String> = []
    for widget in try widgets() {
      for text in widget.values.compactMap({ $0 as? String }) {
        for match in text.matches(of: /(?:'|OSC\{)(\/[^',}]+)[',}]/) {
          #expect(declared(String(match.1)) != nil, "\(match.1)")
          found.insert(String(match.1))
        }
      }
    }
    #expect(found.isSuperset(of: ["/subscribe", "/ping", "/takes", "/take/delete", "/scales"]))
  }

  @Test func `lists and buttons show the node's state`() throws {
    let all = try widgets()
    let lists = all.filter { $0["type"] as? String == "dropdown" }
    #expect(lists.count == 5)
    for list in lists {
      // The app shows the id unless there is a label.
      let path = try #require(list["address"] as? String)
      #expect((list["label"] as? String)?.contains("#{OSC{\(path)} || ''}") == true)
    }
    for (name, path) in [
      ("record", "controls"), ("pause", "state"), ("overdub", "state"), ("undo", "state"),
      ("keep", "state"), ("clear", "state"),
    ] {
      let button = try #require(all.first { $0["id"] as? String == "Loop/\(name)" })
      let light = try #require(button["alphaFillOff"] as? String, "\(name)")
      #expect(light.contains("OSC{/player/\(path)}"))
    }
  }

  @Test(arguments: [1, 4, 16])
  func `each loop has a large button with its state, and its playhead below`(loops: Int) throws {
    let json = try OpenStageControlSession.json(loops: loops)
    for number in 1...16 {
      let isThere = number <= loops
      for part in ["pedal", "mute", "undo", "gain"] {
        #expect(
          json.contains(#""address": "/loop/\#(number)/\#(part)""#) == isThere, "\(number) \(part)")
      }
      #expect(json.contains("OSC{/loop/\(number)/state}") == isThere)
    }
    for look in LoopLook.all { #expect(json.contains("\(look.state): '\(look.word)'")) }
    // The queued state blinks in its color.
    #expect(json.contains("setInterval('blink'"))
    #expect(json.contains("/slot-1'] = true"))
  }

  @Test func `it subscribes again without levels, and sends titles as text`() throws {
    let all = try widgets()
    let root = try #require(all[0]["onCreate"] as? String)
    #expect(
      root.contains("globals.receivedAt") && root.components(separatedBy: "'/subscribe'").count == 3
    )
    let meter = try #require(all.first { $0["address"] as? String == "/meter" })
    #expect(meter["onValue"] as? String == "globals.receivedAt = Date.now()")
    let title = try #require(all.first { $0["id"] as? String == "Takes/take-1/name" })
    #expect((title["onValue"] as? String)?.contains("{type: 's', value: String(title)}") == true)
  }

  @Test func `both surfaces drive the same addresses`() throws {
    let layout = try TouchOSCLayoutTests.tablet.get()
    let onLayout = layout.nodes.flatMap(\.messages).compactMap {
      $0["path"]?.children.first?["value"]?.text
    }
    var inSession: Set<String> = []
    for widget in try widgets() {
      if let path = widget["address"] as? String { inSession.insert(path) }
      for text in widget.values.compactMap({ $0 as? String }) {
        for match in text.matches(of: /'(\/[^']+)'/) { inSession.insert(String(match.1)) }
      }
    }
    #expect(Set(onLayout).subtracting(inSession).isEmpty)
  }

  @Test func `the included session is current`() throws {
    let file = TouchOSCLayoutTests.presets.appendingPathComponent("open-stage-control/syrinx.json")
    let json = try OpenStageControlSession.json()
    if ProcessInfo.processInfo.environment["SYRINX_WRITE_SNAPSHOTS"] != nil {
      try json.write(to: file, atomically: true, encoding: .utf8)
    }
    let isSame = try String(contentsOf: file, encoding: .utf8) == json
    #expect(isSame, "syrinx.json is old; SYRINX_WRITE_SNAPSHOTS=1 renews it")
  }
}
