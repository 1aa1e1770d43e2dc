internal import CZlib
internal import Foundation
internal import FoundationXML

/// An XML element of a layout's document.
///
/// It is mutated only during parsing.
package final class LayoutElement: @unchecked Sendable {
  /// The name of the element.
  package let name: String
  /// The attributes of the element.
  package let attributes: [String: String]
  /// The child elements, in their order.
  package private(set) var children: [LayoutElement] = []
  /// The text in the element.
  package private(set) var text = ""

  init(name: String, attributes: [String: String]) {
    self.name = name
    self.attributes = attributes
  }

  /// The first child of a name.
  package subscript(_ name: String) -> LayoutElement? { children.first { $0.name == name } }

  /// Returns the text of a child; throws if there is none.
  func text(_ name: String) throws -> String {
    guard let child = self[name] else { throw Fault("<\(self.name)> has no <\(name)>") }
    return child.text
  }

  fileprivate func add(_ child: LayoutElement) { children.append(child) }
  fileprivate func add(_ text: String) { self.text += text }
}

/// The reader of `.tosc` files: a zlib stream of one XML document.
package enum LayoutFile {
  /// Reads the root element of a file.
  static func read(_ path: String) throws -> LayoutElement {
    try document(inflated([UInt8](Data(contentsOf: URL(fileURLWithPath: path)))))
  }

  /// Parses the root element of a document.
  package static func document(_ xml: [UInt8]) throws -> LayoutElement {
    let reader = Reader()
    let parser = XMLParser(data: Data(xml))
    parser.delegate = reader
    guard parser.parse(), let root = reader.root else {
      throw Fault("invalid XML: \(parser.parserError.map { "\($0)" } ?? "empty")")
    }
    return root
  }

  /// Inflates a whole file: nothing may follow the stream.
  package static func inflated(_ bytes: [UInt8]) throws -> [UInt8] {
    // Far more than any layout has.
    var room = [UInt8](repeating: 0, count: 8 << 20)
    var (length, taken) = (uLong(room.count), uLong(bytes.count))
    guard uncompress2(&room, &length, bytes, &taken) == Z_OK, taken == uLong(bytes.count) else {
      throw Fault("\(bytes.count) bytes are not exactly one zlib stream")
    }
    return Array(room.prefix(Int(length)))
  }

  private final class Reader: NSObject, XMLParserDelegate {
    private(set) var root: LayoutElement?
    private var open: [LayoutElement] = []

    func parser(
      _ parser: XMLParser, didStartElement name: String, namespaceURI: String?,
      qualifiedName: String?, attributes: [String: String]
    ) {
      let element = LayoutElement(name: name, attributes: attributes)
      open.last?.add(element)
      if open.isEmpty { root = element }
      open.append(element)
    }

    func parser(
      _ parser: XMLParser, didEndElement name: String, namespaceURI: String?,
      qualifiedName: String?
    ) { open.removeLast() }

    func parser(_ parser: XMLParser, foundCharacters text: String) { open.last?.add(text) }

    func parser(_ parser: XMLParser, foundCDATA data: Data) {
      open.last?.add(String(decoding: data, as: UTF8.self))
    }
  }
}
