internal import Control

/// The writer of TouchOSC's XML.
struct LexmlWriter {
  /// The separator of elements: empty, as the app saves it, or line ends.
  let lineEnd: String
  private var text = ""

  /// Writes the whole document.
  static func document(_ root: LayoutNode, inLines: Bool) -> String {
    var writer = LexmlWriter(lineEnd: inLines ? "\n" : "")
    writer.text = "<?xml version='1.0' encoding='UTF-8'?>" + writer.lineEnd
    writer.text += "<lexml version='6'>" + writer.lineEnd
    writer.write(root, path: root.name, isRoot: true)
    writer.text += "</lexml>" + writer.lineEnd
    return writer.text
  }

  private init(lineEnd: String) { self.lineEnd = lineEnd }

  private mutating func line(_ line: String) { text += line + lineEnd }

  // Parts in the order of the app's files, without empty ones.
  private mutating func write(_ node: LayoutNode, path: String, isRoot: Bool = false) {
    line("<node ID='\(StableID.uuid(path))' type='\(node.kind.rawValue)'>")
    if isRoot { line("<includes></includes>") }
    line("<properties>")
    for (key, property) in node.properties.sorted(by: { $0.key < $1.key }) {
      line(written(key, property))
    }
    line("</properties>")
    line("<values>")
    for value in node.values {
      line(
        "<value><key>\(data(value.key))</key><locked>0</locked>"
          + "<lockedDefaultCurrent>0</lockedDefaultCurrent>"
          + "<default>\(data(value.initial))</default><defaultPull>0</defaultPull></value>")
    }
    line("</values>")
    if !node.messages.isEmpty {
      line("<messages>")
      for message in node.messages { write(message) }
      line("</messages>")
    }
    if !node.children.isEmpty {
      line("<children>")
      for child in node.children { write(child, path: path + "/" + child.name) }
      line("</children>")
    }
    line("</node>")
  }

  private mutating func write(_ message: LayoutMessage) {
    line(
      "<osc><enabled>1</enabled><send>\(message.isSent ? 1 : 0)</send>"
        + "<receive>\(message.isReceived ? 1 : 0)</receive><feedback>0</feedback>"
        + "<noDuplicates>0</noDuplicates><connections>0000000001</connections>")
    if message.isSent {
      line(
        "<triggers><trigger><var>\(data("x"))</var>"
          + "<condition>\(message.trigger.rawValue)</condition></trigger></triggers>")
    }
    line("<path>\(partial("CONSTANT", "STRING", message.path))</path>")
    line("<arguments>" + message.arguments.map(written).joined() + "</arguments>")
    line("</osc>")
  }

  private func written(_ argument: LayoutMessage.Argument) -> String {
    switch argument {
    case .x(let range, let isWhole):
      partial("VALUE", isWhole ? "INTEGER" : "FLOAT", "x", range)
    case .text(let text): partial("CONSTANT", "STRING", text)
    case .number(let number): partial("CONSTANT", "FLOAT", plain(Double(number)))
    case .whole(let number): partial("CONSTANT", "INTEGER", "\(number)")
    case .property(let name): partial("PROPERTY", "STRING", name)
    }
  }

  private func partial(
    _ type: String, _ conversion: String, _ value: String, _ range: ClosedRange<Float> = 0...1
  ) -> String {
    "<partial><type>\(type)</type><conversion>\(conversion)</conversion>"
      + "<value>\(data(value))</value><scaleMin>\(plain(Double(range.lowerBound)))</scaleMin>"
      + "<scaleMax>\(plain(Double(range.upperBound)))</scaleMax></partial>"
  }

  private func written(_ key: String, _ property: LayoutNode.Property) -> String {
    let (type, value) =
      switch property {
      case .flag(let flag): ("b", flag ? "1" : "0")
      case .whole(let whole): ("i", "\(whole)")
      case .number(let number): ("f", plain(number))
      case .text(let text): ("s", data(text))
      case .frame(let frame):
        (
          "r",
          zip("xywh", frame.inPoints).map { "<\($0)>\($1)</\($0)>" }.joined()
        )
      case .color(let color):
        (
          "c",
          zip("rgba", [color.red, color.green, color.blue, color.alpha])
            .map { "<\($0)>\(rounded($1))</\($0)>" }.joined()
        )
      }
    return "<property type='\(type)'><key>\(data(key))</key><value>\(value)</value></property>"
  }

  // Rounded to thousandths.
  private func rounded(_ number: Double) -> String { plain((number * 1000).rounded() / 1000) }

  private func data(_ text: String) -> String {
    // A terminator in the text is split over two sections.
    "<![CDATA["
      + text.split(separator: "]]>", omittingEmptySubsequences: false)
      .joined(separator: "]]]]><![CDATA[>") + "]]>"
  }
}
