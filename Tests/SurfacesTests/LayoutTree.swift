import TestSupport
import Testing

/// A parsed layout, independent of the generator.
final class LayoutTree: Sendable {
  /// One node of the layout.
  struct Node: Sendable {
    let element: LayoutElement
    let path: String

    var type: String { element.attributes["type"] ?? "" }
    var id: String { element.attributes["ID"] ?? "" }
    var name: String { property("name") }
    var script: String { property("script") }
    /// The initial text.
    var text: String {
      (element["values"]?.children ?? []).first { $0["key"]?.text == "text" }?["default"]?.text
        ?? ""
    }
    var messages: [LayoutElement] { element["messages"]?.children ?? [] }
    var frame: [Double] {
      (properties.first { $0["key"]?.text == "frame" }?["value"]?.children ?? [])
        .map { Double($0.text) ?? .nan }
    }
    private var properties: [LayoutElement] { element["properties"]?.children ?? [] }

    func property(_ key: String) -> String {
      properties.first { $0["key"]?.text == key }?["value"]?.text ?? ""
    }
  }

  let document: LayoutElement
  let nodes: [Node]

  init(xml: String) throws {
    document = try LayoutFile.document(Array(xml.utf8))
    var nodes: [Node] = []
    func visit(_ element: LayoutElement, _ path: String) {
      let node = Node(element: element, path: path)
      let own = Node(element: element, path: path.isEmpty ? node.name : path + "/" + node.name)
      nodes.append(own)
      for child in element["children"]?.children ?? [] { visit(child, own.path) }
    }
    for element in document.children { visit(element, "") }
    self.nodes = nodes
  }

  /// A decompressed file.
  static func inflated(_ bytes: [UInt8]) throws -> String {
    String(decoding: try LayoutFile.inflated(bytes), as: UTF8.self)
  }

  /// The node of a path, such as `Voice/pitch/fader`.
  func node(_ path: String) -> Node? { nodes.first { $0.path == "Syrinx/pages/" + path } }
}
