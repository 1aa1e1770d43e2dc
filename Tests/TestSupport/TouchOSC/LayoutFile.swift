internal import Foundation
internal import FoundationXML

/// An element of a layout's document.
final class LayoutElement {
  let name: String
  let attributes: [String: String]
  private(set) var children: [LayoutElement] = []
  private(set) var text = ""

  init(name: String, attributes: [String: String]) {
    self.name = name
    self.attributes = attributes
  }

  /// The first child of a name.
  subscript(_ name: String) -> LayoutElement? { children.first { $0.name == name } }

  /// The text of a child; a fault where there is none.
  func text(_ name: String) throws -> String {
    guard let child = self[name] else { throw Fault("<\(self.name)> has no <\(name)>") }
    return child.text
  }

  fileprivate func add(_ child: LayoutElement) { children.append(child) }
  fileprivate func add(_ text: String) { self.text += text }
}

/// Reads what is in a `.tosc` file: a zlib stream of one XML document.
enum LayoutFile {
  /// The document's root element.
  static func read(_ path: String) throws -> LayoutElement {
    let reader = Reader()
    let parser = XMLParser(data: try inflate(path))
    parser.delegate = reader
    guard parser.parse(), let root = reader.root else {
      throw Fault("no XML in \(path): \(parser.parserError.map { "\($0)" } ?? "empty")")
    }
    return root
  }

  /// The bytes that a whole file inflates to: nothing may lie behind the stream.
  private static func inflate(_ path: String) throws -> Data {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = [
      "python3", "-c",
      """
      import sys, zlib
      stream = zlib.decompressobj()
      data = stream.decompress(open(sys.argv[1], 'rb').read())
      assert stream.eof and not stream.unused_data, 'more or less than a zlib stream'
      sys.stdout.buffer.write(data)
      """, path,
    ]
    let (output, errors) = (Pipe(), Pipe())
    process.standardOutput = output
    process.standardError = errors
    try process.run()
    let data = output.fileHandleForReading.readDataToEndOfFile()
    let said = errors.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    guard process.terminationStatus == 0 else {
      throw Fault("can't inflate \(path): \(String(decoding: said, as: UTF8.self))")
    }
    return data
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
