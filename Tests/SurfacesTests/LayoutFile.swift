import CZlib
import Foundation
import FoundationXML
import Testing

/// A layout as a reader of the file finds it: nothing here knows how it was written.
final class LayoutFile: Sendable {
  /// One element with its text.
  ///
  /// It changes only while it is read.
  final class Element: @unchecked Sendable {
    let name: String
    let attributes: [String: String]
    var text = ""
    var children: [Element] = []

    init(_ name: String, _ attributes: [String: String]) {
      self.name = name
      self.attributes = attributes
    }

    subscript(name: String) -> Element? { children.first { $0.name == name } }

    /// All below it, and itself.
    var all: [Element] { [self] + children.flatMap(\.all) }
  }

  /// One node of the layout.
  struct Node: Sendable {
    let element: Element
    let path: String

    var type: String { element.attributes["type"] ?? "" }
    var id: String { element.attributes["ID"] ?? "" }
    var name: String { property("name") }
    var script: String { property("script") }
    var messages: [Element] { element["messages"]?.children ?? [] }
    var frame: [Double] {
      (properties.first { $0["key"]?.text == "frame" }?["value"]?.children ?? [])
        .map { Double($0.text) ?? .nan }
    }
    private var properties: [Element] { element["properties"]?.children ?? [] }

    func property(_ key: String) -> String {
      properties.first { $0["key"]?.text == key }?["value"]?.text ?? ""
    }
  }

  let document: Element
  let nodes: [Node]

  init(xml: String) throws {
    let reader = Reader()
    let parser = XMLParser(data: Data(xml.utf8))
    parser.delegate = reader
    try #require(parser.parse(), "line \(parser.lineNumber)")
    document = try #require(reader.root)
    var nodes: [Node] = []
    func visit(_ element: Element, _ path: String) {
      let node = Node(element: element, path: path)
      let own = Node(element: element, path: path.isEmpty ? node.name : path + "/" + node.name)
      nodes.append(own)
      for child in element["children"]?.children ?? [] { visit(child, own.path) }
    }
    for element in document.children { visit(element, "") }
    self.nodes = nodes
  }

  /// What a file holds, as zlib unpacks it.
  static func inflated(_ bytes: [UInt8]) throws -> String {
    // Far more than any layout has.
    var room = [UInt8](repeating: 0, count: 8 << 20)
    var length = uLong(room.count)
    try #require(uncompress(&room, &length, bytes, uLong(bytes.count)) == Z_OK)
    return String(decoding: room.prefix(Int(length)), as: UTF8.self)
  }

  /// The node of a path, such as `Voice/pitch/fader`.
  func node(_ path: String) -> Node? { nodes.first { $0.path == "Syrinx/pages/" + path } }

  private final class Reader: NSObject, XMLParserDelegate {
    var root: Element?
    private var open: [Element] = []

    func parser(
      _ parser: XMLParser, didStartElement name: String, namespaceURI: String?,
      qualifiedName: String?, attributes: [String: String]
    ) {
      let element = Element(name, attributes)
      open.last?.children.append(element)
      if root == nil { root = element }
      open.append(element)
    }

    func parser(
      _ parser: XMLParser, didEndElement name: String, namespaceURI: String?,
      qualifiedName: String?
    ) { open.removeLast() }

    func parser(_ parser: XMLParser, foundCharacters text: String) { open.last?.text += text }

    func parser(_ parser: XMLParser, foundCDATA data: Data) {
      open.last?.text += String(decoding: data, as: UTF8.self)
    }
  }
}
