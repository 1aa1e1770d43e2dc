import Foundation
import OSC
import TestSupport
import Testing

/// The simulated phone itself, on layouts of a few controls.
///
/// It follows TouchOSC's manual and the layouts that come with it.
@Suite struct TouchPhoneTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  /// A phone with a layout of 100 by 100 points, and one that sends to it.
  private func phone(_ nodes: String..., script: String = "") throws -> (TouchPhone, Phone) {
    let path = folder.path("\(UUID().uuidString).tosc")
    let root = node("GROUP", "root", [0, 0, 100, 100], script: script, children: nodes.joined())
    let document = "<?xml version='1.0' encoding='UTF-8'?><lexml version='6'>\(root)</lexml>"
    try Data(stored(Array(document.utf8))).write(to: URL(fileURLWithPath: path))
    // The port of discard: nothing listens.
    let phone = try TouchPhone(node: 9) { _ in path }
    return (phone, try Phone(port: phone.port))
  }

  private func node(
    _ type: String, _ name: String, _ frame: [Int], properties: [String: String] = [:],
    script: String = "", message: String = "", children: String = ""
  ) -> String {
    let sides = zip("xywh", frame).map { "<\($0)>\($1)</\($0)>" }.joined()
    var all = "<property type='r'><key>frame</key><value>\(sides)</value></property>"
    for (key, value) in properties.merging(
      ["name": name, "script": script], uniquingKeysWith: { $1 })
    {
      let kind = ["name", "script"].contains(key) ? "s" : value.count == 1 ? "b" : "i"
      all +=
        "<property type='\(kind)'><key>\(key)</key><value><![CDATA[\(value)]]></value></property>"
    }
    return """
      <node ID='\(UUID().uuidString)' type='\(type)'><properties>\(all)</properties>\
      <messages>\(message)</messages><children>\(children)</children></node>
      """
  }

  private func message(
    _ path: String, _ argument: String = "VALUE FLOAT x 0 1", when condition: String = "ANY"
  ) -> String {
    func partial(_ words: String) -> String {
      let part = words.split(separator: " ").map(String.init)
      return """
        <partial><type>\(part[0])</type><conversion>\(part[1])</conversion><value>\(part[2])</value>\
        <scaleMin>\(part[3])</scaleMin><scaleMax>\(part[4])</scaleMax></partial>
        """
    }
    return """
      <osc><enabled>1</enabled><send>1</send><receive>1</receive><feedback>0</feedback>\
      <connections>0000000001</connections>\
      <triggers><trigger><var>x</var><condition>\(condition)</condition></trigger></triggers>\
      <path>\(partial("CONSTANT STRING \(path) 0 1"))</path>\
      <arguments>\(partial(argument))</arguments></osc>
      """
  }

  /// A zlib stream of stored bytes.
  private func stored(_ bytes: [UInt8]) -> [UInt8] {
    var result: [UInt8] = [0x78, 0x01]
    for start in stride(from: 0, to: bytes.count, by: 65_535) {
      let part = bytes[start..<min(start + 65_535, bytes.count)]
      let length = UInt16(part.count)
      result += [part.endIndex == bytes.count ? 1 : 0]
      result += [length, ~length].flatMap { [UInt8($0 & 255), UInt8($0 >> 8)] }
      result += part
    }
    var (a, b): (UInt32, UInt32) = (1, 0)
    for byte in bytes {
      a = (a + UInt32(byte)) % 65_521
      b = (b + a) % 65_521
    }
    return result + [UInt8(b >> 8), UInt8(b & 255), UInt8(a >> 8), UInt8(a & 255)]
  }

  private func find(_ phone: TouchPhone, _ name: String) throws -> TouchControl {
    try #require(phone.root.all(named: name).first)
  }

  private func numbers(_ sent: [Received]) -> [String] {
    sent.map { "\($0.address) \($0.arguments.first?.number ?? -1)" }
  }

  @Test func `a finger slides over buttons without focus grab, and stays on one with it`()
    throws
  {
    let free = ["grabFocus": "0"]
    let (phone, _) = try phone(
      node("BUTTON", "a", [0, 0, 50, 50], properties: free, message: message("/a")),
      node("BUTTON", "b", [50, 0, 50, 50], properties: free, message: message("/b")),
      node("BUTTON", "c", [0, 50, 50, 50], message: message("/c")),
      node("LABEL", "over", [0, 0, 100, 50], properties: ["interactive": "0"]))
    let finger = try phone.touch(try find(phone, "a"))
    try finger.slide(to: try find(phone, "b"))
    try finger.lift()
    #expect(numbers(phone.sent) == ["/a 1.0", "/a 0.0", "/b 1.0", "/b 0.0"])
    phone.forget()
    let other = try phone.touch(try find(phone, "c"))
    try other.slide(to: try find(phone, "b"))
    #expect(numbers(phone.sent) == ["/c 1.0"])
    try other.lift()
    #expect(numbers(phone.sent) == ["/c 1.0", "/c 0.0"])
    #expect(phone.faults.isEmpty, "\(phone.faults)")
  }

  @Test func `hidden controls and other pages can't be touched`() throws {
    let pages = ["one", "two"].map {
      node(
        "GROUP", $0, [0, 20, 100, 80], properties: ["interactive": "0"],
        children: node("BUTTON", "in \($0)", [0, 0, 50, 50], message: message("/\($0)")))
    }
    let (phone, _) = try phone(
      node(
        "PAGER", "pages", [0, 0, 100, 100], properties: ["tabbar": "1", "tabbarSize": "20"],
        children: pages.joined()),
      node("BUTTON", "hidden", [60, 60, 40, 40], properties: ["visible": "0"]))
    let (one, two) = (try find(phone, "in one"), try find(phone, "in two"))
    #expect(phone.canTouch(one) && !phone.canTouch(two))
    #expect(!phone.canTouch(try find(phone, "hidden")))
    let pager = try find(phone, "pages")
    try phone.touch(pager, at: pager.point(0.75, 0.1)).lift()
    #expect(pager.page == 1 && phone.canTouch(two) && !phone.shows(one))
  }

  @Test func `a number is scaled in both directions, without echo`() throws {
    let (phone, sender) = try phone(
      node(
        "FADER", "pitch", [0, 0, 20, 100],
        message: message("/pitch", "VALUE FLOAT x -12 12") + message("/up", when: "RISE")))
    let fader = try find(phone, "pitch")
    let finger = try phone.touch(fader, at: fader.point(0.5, 0.25))
    #expect(numbers(phone.sent) == ["/pitch 6.0", "/up 0.75"])
    try finger.move(to: fader.point(0.5, 0.5))
    try finger.lift()
    #expect(numbers(phone.sent) == ["/pitch 6.0", "/up 0.75", "/pitch 0.0"])
    phone.forget()
    sender.send("/pitch", .float(-6))
    #expect(try phone.wait { fader.x == 0.25 })
    #expect(phone.sent.isEmpty)
  }

  @Test func `each script has its own environment, and receives its messages`() throws {
    let listen = "function onReceiveOSC(message) print(self.name, message[1]) "
    let (phone, sender) = try phone(
      node(
        "LABEL", "here", [0, 0, 50, 50], script: listen + "end shared = 1", message: message("/a")),
      node(
        "FADER", "held", [50, 0, 50, 50], script: listen + "return self.values.touch end",
        message: message("/b")),
      node("BOX", "deaf", [0, 50, 50, 50], script: listen + "end"),
      node("FADER", "spared", [50, 50, 50, 50], script: listen + "end", message: message("/c")),
      script: listen + "return message[1] == '/c' end")
    for address in ["/a", "/b", "/c", "/d"] { sender.send(address, .float(0.25)) }
    let held = try find(phone, "held")
    #expect(try phone.wait { phone.log.count == 6 })
    #expect(
      phone.log == [
        "root\t/a", "here\t/a", "root\t/b", "held\t/b", "root\t/c", "root\t/d",
      ])
    #expect(try held.x == 0.25 && find(phone, "spared").x == 0)
    let finger = try phone.touch(held, at: held.point(0.5, 0))
    sender.send("/b", .float(0.5))
    #expect(try phone.wait { phone.received.count == 5 })
    #expect(held.x == 1)
    try finger.lift()
    sender.send("/b", .float(0.5))
    #expect(try phone.wait { held.x == 0.5 })
  }

  @Test func `unsupported calls are reported with their line`() throws {
    let scripts = [
      "shared = 1\n", "print(shared)", "local a = 7 // 2", "self.values.y = 1",
      "\n\nself.colour = 1",
      "pcall(print)", "self.visible = 1", "function onTouch() end",
    ]
    let (phone, _) = try phone(
      scripts.indices.map { node("BUTTON", "n\($0)", [0, 0, 9, 9], script: scripts[$0]) }.joined())
    let faults = phone.faults.map { String($0.drop { $0 != ":" }.dropFirst(2)) }
    #expect(
      faults == [
        "root/n1:1: there is no shared", "root/n2:1: unexpected symbol near '/'",
        "root/n3:1: a BUTTON has no value y", "root/n4:3: a BUTTON has no colour",
        "root/n5:1: there is no pcall", "root/n6:1: visible takes a boolean",
        "is onTouch ever called?",
      ])
  }
}
