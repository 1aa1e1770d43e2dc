import Control
import Foundation
import Surfaces
import TestSupport
import Testing

@Suite struct TouchOSCLayoutTests {
  private let table = AddressTable.widest

  // Parsed once: each has thousands of nodes.
  static let phone = Result { try read(.phone) }
  static let tablet = Result { try read(.tablet) }

  private static func read(_ screen: SurfaceScreen) throws -> LayoutTree {
    try LayoutTree(xml: LayoutTree.inflated(TouchOSCLayout.file(screen)))
  }

  private func layout(_ screen: SurfaceScreen) throws -> LayoutTree {
    try (screen == .phone ? Self.phone : Self.tablet).get()
  }

  /// The declaration of an address, also one with numbers.
  private func declared(_ path: String) -> Address? {
    if let address = table[path] { return address }
    return Array(path.utf8).withUnsafeBytes(table.numbered).map { table.addresses[$0.index] }
  }

  @Test(arguments: SurfaceScreen.allCases)
  func `the file is a zlib stream with one line of XML`(screen: SurfaceScreen) throws {
    let file = try TouchOSCLayout.file(screen)
    #expect(file.prefix(2) == [0x78, 0x9C])
    let xml = try LayoutTree.inflated(file)
    #expect(xml.hasPrefix("<?xml version='1.0' encoding='UTF-8'?><lexml version='6'><node ID='"))
    #expect(xml == (try TouchOSCLayout.xml(screen)))
    // Scripts have lines; between elements there are none.
    #expect(!xml.contains(">\n<"))
    #expect(file == (try TouchOSCLayout.file(screen)), "made twice, it is the same")
  }

  @Test func `data after the stream is an error`() throws {
    let file = try TouchOSCLayout.file(.phone)
    #expect(throws: (any Error).self) { try LayoutTree.inflated(file + [0]) }
    #expect(throws: (any Error).self) { try LayoutTree.inflated(Array(file.dropLast())) }
  }

  @Test(arguments: SurfaceScreen.allCases)
  func `nodes have the structure of the app's own files`(screen: SurfaceScreen) throws {
    let layout = try layout(screen)
    #expect(layout.document.name == "lexml" && layout.document.attributes["version"] == "6")
    #expect(layout.document.children.count == 1)
    let order = ["includes", "properties", "values", "messages", "children"]
    for node in layout.nodes {
      let parts = node.element.children.map(\.name)
      #expect(parts == order.filter(parts.contains), "\(node.path)")
      #expect(parts.contains("includes") == (node.path == "Syrinx"))
      let keys = (node.element["properties"]?.children ?? []).compactMap { $0["key"]?.text }
      #expect(keys == keys.sorted() && Set(keys).count == keys.count, "\(node.path)")
      #expect(node.frame.count == 4 && node.frame.allSatisfy { $0 == $0.rounded() && $0 >= 0 })
      #expect(node.element["children"] == nil || ["GROUP", "PAGER"].contains(node.type))
      for message in node.messages {
        let all = [
          "enabled", "send", "receive", "feedback", "noDuplicates", "connections", "triggers",
          "path", "arguments",
        ]
        let parts = message.children.map(\.name)
        #expect(message.name == "osc" && parts == all.filter(parts.contains))
        #expect(message["feedback"]?.text == "0", "what is received is not sent back")
        #expect(message["connections"]?.text == "0000000001")
        #expect((message["send"]?.text == "1") == parts.contains("triggers"))
      }
    }
    #expect(layout.nodes[0].type == "GROUP")
    let pager = try #require(layout.nodes.first { $0.type == "PAGER" })
    let pages = pager.element["children"]?.children ?? []
    #expect(pages.allSatisfy { $0.attributes["type"] == "GROUP" })
    let names = pages.map { LayoutTree.Node(element: $0, path: "").property("tabLabel") }
    #expect(
      names == [
        "Voice", "Presets", "Loops", "More", "Loop", "Grid", "Piano", "Takes", "Mix", "Feed",
        "Scale", "Menu", "Timing", "Scenes",
      ])
    // Tabs are buttons: the app's own would be too narrow.
    #expect(pager.property("tabbar") == "0")
    let tabs = layout.nodes.filter { $0.path.hasPrefix("Syrinx/tabs/tab-") }
    // The last two pages are opened from others.
    #expect(tabs.map { $0.property("tag") } == (1...12).map { "page \($0)" })
    let captions = layout.nodes.filter { $0.path.hasPrefix("Syrinx/tabs/name-") }
    #expect(captions.map { $0.text } == Array(names.prefix(12)))
    for page in pages {
      let frame = LayoutTree.Node(element: page, path: "").frame
      #expect(frame == [0, 0, pager.frame[2], pager.frame[3]])
    }
    #expect(pager.frame[1] + pager.frame[3] == layout.nodes[0].frame[3])
  }

  @Test(arguments: SurfaceScreen.allCases)
  func `each message fits its address and range`(screen: SurfaceScreen) throws {
    let layout = try layout(screen)
    var count = 0
    for node in layout.nodes {
      for message in node.messages {
        count += 1
        let path = (message["path"]?.children ?? []).compactMap { $0["value"]?.text }.joined()
        let address = try #require(declared(path), "\(node.path) names \(path)")
        let arguments = message["arguments"]?.children ?? []
        let types = address.types.filter { $0 != "…" }
        let isSent = message["send"]?.text == "1"
        let takesNothing = address.types.isEmpty || path.hasPrefix("/metronome/tap")
        if arguments.isEmpty {
          let mayLeaveOut = [
            "/take/save", "/grid/randomize", "/music/play", "/loop/selected/save",
            "/scene/next", "/scene/previous",
          ]
          #expect(isSent && (takesNothing || mayLeaveOut.contains(path)), "\(path)")
        }
        #expect(arguments.count <= max(1, types.count))
        for (argument, type) in zip(arguments, types) {
          let conversion = argument["conversion"]?.text
          let value = argument["value"]?.text ?? ""
          switch argument["type"]?.text {
          case "VALUE":
            #expect(value == "x" && (conversion == "INTEGER") == (type == "i"))
            let least = try #require(Float(argument["scaleMin"]?.text ?? ""))
            let greatest = try #require(Float(argument["scaleMax"]?.text ?? ""))
            // The range of a velocity is that of its argument.
            let range = address.range.least < address.range.greatest ? address.range : (0, 1)
            #expect((least, greatest) == range, "\(path)")
          case "CONSTANT" where conversion == "FLOAT":
            let number = try #require(Double(value))
            #expect(type == "f" && address.forms[0].range.contains(number), "\(path)")
          case "CONSTANT" where conversion == "INTEGER":
            let number = try #require(Int(value))
            #expect(type == "i" && address.forms[0].range.contains(Double(number)), "\(path)")
          case "CONSTANT":
            #expect(type == "s" && !value.isEmpty)
            if let words = address.words { #expect(words.contains(value)) }
          case "PROPERTY": #expect(type == "s" && value == "tag")
          default: Issue.record("\(node.path) sends what nobody knows")
          }
        }
      }
    }
    // The grid alone has 192.
    #expect(count > 250)
  }

  @Test(arguments: SurfaceScreen.allCases)
  func `each address in a script is in the table`(screen: SurfaceScreen) throws {
    let layout = try layout(screen)
    var found: Set<String> = []
    for node in layout.nodes {
      for match in node.script.matches(of: /['"](\/[^'"]*)['"]/) {
        let path = String(match.1)
        #expect(declared(path) != nil, "\(node.path) says \(path)")
        found.insert(path)
      }
      for match in node.script.matches(of: /sendOSC\(([^']|$)/) {
        Issue.record("\(node.path) sends to what can't be checked: \(match.0)")
      }
      for match in node.script.matches(of: /\bstep (\S+)/) {
        #expect(declared(String(match.1)) != nil)
      }
    }
    #expect(
      found.isSuperset(of: [
        "/subscribe", "/ping", "/pong", "/error", "/player/controls", "/grid/layout", "/grid/cell",
        "/grid/lit", "/takes", "/take", "/takes/end", "/take/title", "/take/delete", "/preset",
      ]))
  }

  @Test(arguments: SurfaceScreen.allCases)
  func `IDs are unique UUIDs derived from names only`(screen: SurfaceScreen) throws {
    let layout = try layout(screen)
    let ids = layout.nodes.map(\.id)
    #expect(Set(ids).count == ids.count)
    #expect(Set(layout.nodes.map(\.path)).count == ids.count)
    #expect(
      ids.allSatisfy {
        $0.wholeMatch(of: /[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}/)
          != nil
      })
    // The pitch fader's ID never changes.
    #expect(layout.node("Voice/pitch/fader")?.id == "6949e5cc-f1d5-8190-bc1a-e8a8d1ccfe1e")
  }

  @Test func `another page leaves all IDs unchanged`() throws {
    let table = AddressTable.node
    let surface = try Surface.syrinx()
    let extra = SurfacePage(
      "Extra", Block(Row(1, SurfaceControl("hold", "Hold", .flag(try table.flag("/echo/hold"))))))
    let more = try LayoutTree(
      xml: TouchOSCLayout.xml(of: Surface(pages: [extra] + surface.pages), .phone))
    let layout = try layout(.phone)
    // Two more for its tab.
    #expect(more.nodes.count == layout.nodes.count + 6)
    let known = Dictionary(uniqueKeysWithValues: more.nodes.map { ($0.path, $0.id) })
    #expect(layout.nodes.allSatisfy { known[$0.path] == $0.id })
  }

  @Test func `a surface without the buttons that scripts light is refused`() throws {
    let surface = try Surface.syrinx()
    let pages = surface.pages.filter { $0.name != "Loop" }
    #expect(throws: SurfaceFault.self) { try TouchOSCLayout.xml(of: Surface(pages: pages), .phone) }
  }

  @Test func `an address with two handlers is refused`() throws {
    let use = try AddressTable.node.constant("/metronome/bpm", .number(120))
    let extra = SurfacePage("Tempo", Block(Row(1, SurfaceControl("usual", "120", .choice(use)))))
    let surface = Surface(pages: try Surface.syrinx().pages + [extra])
    #expect(throws: SurfaceFault("two parts of the surface show /metronome/bpm")) {
      try TouchOSCLayout.xml(of: surface, .phone)
    }
  }

  @Test func `the layouts for both screens have the same controls`() throws {
    let (phone, tablet) = (try layout(.phone), try layout(.tablet))
    #expect(phone.nodes.map(\.id) == tablet.nodes.map(\.id))
    #expect(phone.nodes.map(\.script) == tablet.nodes.map(\.script))
  }

  @Test(arguments: SurfaceScreen.allCases)
  func `controls are within their page and don't overlap`(screen: SurfaceScreen) throws {
    let layout = try layout(screen)
    for page in layout.nodes
    where page.path.split(separator: "/").count == 3 && page.type == "GROUP" {
      guard page.path.hasPrefix("Syrinx/pages/") else { continue }
      let controls = layout.nodes.filter {
        $0.path.hasPrefix(page.path + "/") && $0.path.split(separator: "/").count == 4
      }
      for (index, control) in controls.enumerated() {
        let own = control.frame
        #expect(
          own[0] >= 0 && own[1] >= 0 && own[2] >= 30 && own[3] >= 18, "\(control.path) \(own)")
        #expect(own[0] + own[2] <= page.frame[2] && own[1] + own[3] <= page.frame[3])
        for other in controls[(index + 1)...] {
          let frame = other.frame
          let isApart =
            own[0] + own[2] <= frame[0] + 0.01 || frame[0] + frame[2] <= own[0] + 0.01
            || own[1] + own[3] <= frame[1] + 0.01 || frame[1] + frame[3] <= own[1] + 0.01
          #expect(isApart, "\(control.path) lies on \(other.path)")
        }
      }
    }
  }

  @Test func `each feature has its page and addresses`() throws {
    let layout = try layout(.phone)
    func path(_ node: String) -> String? {
      layout.node(node)?.messages.first?["path"]?.children.first?["value"]?.text
    }
    func argument(_ node: String) -> String? {
      layout.node(node)?.messages.first?["arguments"]?.children.first?["value"]?.text
    }
    for effect in ["chipmunk", "vader", "snail", "rabbit", "echo", "reverb", "dry"] {
      #expect(path("Voice/\(effect)/button") == "/preset")
      #expect(argument("Voice/\(effect)/button") == effect)
      let file = Self.presets.appendingPathComponent("\(effect).json").path
      #expect(FileManager.default.fileExists(atPath: file))
    }
    for (name, address) in [
      ("pitch", "/pitch/semitones"), ("rate", "/stretch/rate"), ("echo-mix", "/echo/mix"),
      ("reverb-mix", "/reverb/mix"),
    ] { #expect(path("Voice/\(name)/fader") == address) }
    for name in ["record", "play", "pause", "stop", "rewind", "forward"] {
      #expect(path("Loop/\(name)/button") == "/player/\(name)")
    }
    for name in ["overdub", "undo", "redo"] {
      #expect(path("Loop/\(name)/button") == "/loop/\(name)")
    }
    #expect(path("Loop/position/fader") == "/player/position")
    for row in 1...16 {
      for column in 1...12 {
        let cell = "Grid/cells/cell \(row) \(column)"
        #expect(path(cell) == "/grid/\(row)/\(column)")
        // Fingers slide from one to the next.
        #expect(layout.node(cell)?.property("grabFocus") == "0")
        #expect(layout.node(cell)?.property("press") == "1")
        #expect(layout.node(cell)?.property("release") == "1")
        #expect(layout.node("Grid/cells/name \(row) \(column)")?.property("interactive") == "0")
      }
    }
    for key in 1...7 { #expect(path("Piano/key-\(key)/button") == "/piano/\(key)") }
    for row in 1...6 {
      #expect(layout.node("Takes/take-\(row)/play")?.property("tag") == "play \(row)")
      #expect(layout.node("Takes/take-\(row)/delete")?.property("tag") == "delete \(row)")
      #expect(layout.node("Takes/take-\(row)/name")?.property("tag") == "title \(row)")
    }
    for (name, address) in [
      ("Scale/root-A#", "/grid/root"), ("Scale/size-large", "/grid/size"),
      ("Scale/names", "/grid/names"), ("Menu/sustain", "/grid/sustain"),
      ("Menu/random", "/grid/randomize"), ("Menu/metronome", "/metronome/on"),
      ("Mix/song-next", "/music/next"), ("Mix/capture", "/capture/on"),
      ("Mix/capture-in", "/capture/source"), ("Loop/keep", "/take/save"),
    ] { #expect(path("\(name)/button") == address) }
    #expect(path("Scale/scale/slot-1") == "/grid/scale")
    #expect(path("Menu/instrument/slot-6") == "/grid/instrument")
    #expect(path("Presets/own/slot-6") == "/preset" && path("Presets/all/slot-9") == "/preset")
    #expect(layout.node("Menu/countin/more")?.property("tag") == "step /metronome/countin 1")
  }

  @Test(arguments: [1, 3, 4, 5, 8, 16])
  func `each loop has a large button, mute, undo and gain`(loops: Int) throws {
    for screen in SurfaceScreen.allCases {
      let layout = try LayoutTree(xml: TouchOSCLayout.xml(screen, loops: loops))
      let buttons = layout.nodes.filter { $0.path.hasPrefix("Syrinx/pages/Loops") }
      func message(_ path: String) -> String? {
        buttons.first { $0.path.hasSuffix("/\(path)") }?.messages.first?["path"]?.children
          .first?["value"]?.text
      }
      var boxes: [[Double]] = []
      for number in 1...loops {
        #expect(message("slot-\(number)/button") == "/loop/\(number)/pedal")
        #expect(message("mute-\(number)/button") == "/loop/\(number)/mute")
        #expect(message("undo-\(number)/button") == "/loop/\(number)/undo")
        #expect(message("gain-\(number)/fader") == "/loop/\(number)/gain")
        let slot = try #require(buttons.first { $0.path.hasSuffix("/slot-\(number)") })
        boxes.append(slot.frame)
        let round = try #require(
          buttons.first { $0.path.hasSuffix("/slot-\(number)/round") })
        // It passes touches through to the button.
        #expect(round.property("interactive") == "0" && round.frame[2] > slot.frame[2] - 10)
      }
      #expect(!buttons.contains { $0.path.hasSuffix("/slot-\(loops + 1)") })
      #expect(boxes.allSatisfy { $0[2] >= screen.finger && $0[3] >= screen.finger })
      // All have the same size, except a single one in its row.
      #expect(loops == 1 || loops == 3 || loops == 5 || Set(boxes.map { $0[2...3] }).count <= 2)
    }
  }

  @Test(arguments: SurfaceScreen.allCases, [1, 4, 8])
  func `each touch target has the least size`(screen: SurfaceScreen, loops: Int) throws {
    let layout = try LayoutTree(xml: TouchOSCLayout.xml(screen, loops: loops))
    var count = 0
    for node in layout.nodes
    where ["BUTTON", "FADER"].contains(node.type) && node.property("interactive") == "1" {
      // Cells and keys are as wide as the screen allows.
      if node.path.contains("/Grid/") || node.path.contains("/key-") { continue }
      count += 1
      #expect(
        node.frame[2] >= screen.finger && node.frame[3] >= screen.finger - 0.5,
        "\(node.path) \(node.frame)")
    }
    #expect(count > 100)
  }

  @Test func `Save and Clear are not next to each other`() throws {
    for screen in SurfaceScreen.allCases {
      let layout = try layout(screen)
      for (page, keep, clear) in [("Loop", "keep", "clear"), ("More", "save", "clear")] {
        let one = try #require(layout.node("\(page)/\(keep)")).frame
        let other = try #require(layout.node("\(page)/\(clear)")).frame
        let across = max(one[0] - other[0] - other[2], other[0] - one[0] - one[2])
        let down = max(one[1] - other[1] - other[3], other[1] - one[1] - one[3])
        #expect(max(across, down) >= screen.finger, "\(page) on the \(screen)")
      }
    }
  }

  @Test func `mute is above all pages`() throws {
    for screen in SurfaceScreen.allCases {
      let layout = try layout(screen)
      let mute = try #require(layout.nodes.first { $0.path == "Syrinx/bar/mute/button" })
      #expect(mute.messages.first?["path"]?.children.first?["value"]?.text == "/mute")
      #expect(mute.property("buttonType") == "2")
    }
  }

  @Test func `faders ignore messages while touched, and show their unit`() throws {
    let layout = try layout(.phone)
    let faders = layout.nodes.filter { $0.type == "FADER" && !$0.messages.isEmpty }
    #expect(faders.count > 15)
    // Those with a curve send by script, whichever of x and touch the app changes first.
    #expect(faders.contains { $0.script.contains("sendOSC('/echo/time', value, {true})") })
    #expect(faders.contains { $0.script.contains("curve = 'level'") })
    for fader in faders {
      #expect(fader.script.contains("self.values.touch"))
      let path = fader.messages[0]["path"]?.children.first?["value"]?.text ?? ""
      let unit = try #require(table[path]).unit
      #expect(unit.isEmpty || fader.script.contains(unit), "\(path)")
      #expect(layout.nodes.contains { $0.path == fader.path.dropLast(5) + "value" })
      #expect(layout.nodes.contains { $0.path == fader.path.dropLast(5) + "caption" })
    }
  }

  @Test func `the app's receive port is sent to the node`() throws {
    let layout = try LayoutTree(xml: TouchOSCLayout.xml(.phone, receivePort: 9123))
    #expect(layout.nodes[0].script.contains("receivePort = 9123,"))
    #expect(layout.nodes[0].script.contains("sendOSC('/subscribe', layout.receivePort, {true})"))
  }

  @Test func `the position fader covers the longest loop of the node`() throws {
    let layout = try LayoutTree(xml: TouchOSCLayout.xml(.phone, seconds: 45))
    let message = try #require(layout.node("Loop/position/fader")?.messages.first)
    #expect(message["arguments"]?.children.first?["scaleMax"]?.text == "45")
    let json = try OpenStageControlSession.json(seconds: 45)
    #expect(json.contains(/"max": 45\n/))
  }

  @Test func `the readable XML has a line for each element`() throws {
    let lines = try TouchOSCLayout.xml(.phone, inLines: true)
    let joined = try TouchOSCLayout.xml(.phone)
    #expect(lines.replacing(">\n<", with: "><").trimmingSuffix(while: \.isNewline) == joined)
  }

  // MARK: - Included files

  static let presets = Project.file("Presets")

  @Test(arguments: SurfaceScreen.allCases)
  func `the included layout is current`(screen: SurfaceScreen) throws {
    let file = Self.presets.appendingPathComponent("touchosc/syrinx-\(screen.rawValue).tosc")
    if ProcessInfo.processInfo.environment["SYRINX_WRITE_SNAPSHOTS"] != nil {
      try Data(TouchOSCLayout.file(screen)).write(to: file)
    }
    // Another zlib may compress it differently.
    let isSame =
      try LayoutTree.inflated([UInt8](Data(contentsOf: file))) == TouchOSCLayout.xml(screen)
    #expect(isSame, "\(file.lastPathComponent) is old; SYRINX_WRITE_SNAPSHOTS=1 renews it")
  }
}

extension Substring {
  fileprivate func trimmingSuffix(while isOut: (Character) -> Bool) -> String {
    var text = self
    while let last = text.last, isOut(last) { text.removeLast() }
    return String(text)
  }
}

extension String {
  fileprivate func trimmingSuffix(while isOut: (Character) -> Bool) -> String {
    self[...].trimmingSuffix(while: isOut)
  }
}
