internal import CPage
internal import Posix

/// The files of the page, which are in the program; they are packed when somebody first asks.
final class Page: Sendable {
  private static let leafletFolder = "/usr/share/javascript/leaflet"
  private static let mostLeafletBytes = 1 << 20
  // What the page's style stands in for, so that the first answer is all that a first picture needs.
  private static let link = #"<link rel="stylesheet" href="/page/page.css">"#

  private struct Packed {
    var files: [String: PageFile] = [:]
    var styleHash = ""
  }

  private let packed = Guarded<Packed?>(nil)

  /// The page itself, for who opens the node's address.
  func index(_ request: HTTPRequest) -> HTTPAnswer {
    let (file, hash) = packed.withLock { packed in
      let all = packed ?? Self.pack()
      packed = all
      return (all.files["index.html"], all.styleHash)
    }
    guard let file else { return .refusal(404, "this node was built without its page") }
    return file.answer(
      to: request, headers: [("Content-Security-Policy", Self.policy(styleHash: hash))])
  }

  /// A file of the page, or of Leaflet where that is installed, by what follows `/page/`.
  func file(_ name: String, _ request: HTTPRequest) -> HTTPAnswer {
    let file = packed.withLock { packed -> PageFile? in
      var all = packed ?? Self.pack()
      if all.files[name] == nil, let leaflet = Self.leaflet(name) { all.files[name] = leaflet }
      packed = all
      return all.files[name]
    }
    return file?.answer(to: request) ?? .refusal(404, "the page has no such file")
  }

  private static func pack() -> Packed {
    var packed = Packed()
    var contents: [String: [UInt8]] = [:]
    for index in 0..<page_files_count {
      let file = page_file(index)
      contents[String(cString: file.name)] = Array(
        UnsafeBufferPointer(start: file.bytes, count: file.count))
    }
    if let style = contents["page.css"], let index = contents["index.html"] {
      let text = String(decoding: index, as: UTF8.self)
      let parts = text.split(separator: link, maxSplits: 1, omittingEmptySubsequences: false)
      if parts.count == 2 {
        packed.styleHash = Base64.text(of: SHA256.digest(style))
        contents["index.html"] =
          Array(parts[0].utf8) + Array("<style>".utf8) + style + Array("</style>".utf8)
          + Array(parts[1].utf8)
      }
    }
    packed.files = Dictionary(
      uniqueKeysWithValues: contents.map { ($0.key, PageFile($0.value, name: $0.key)) })
    return packed
  }

  private static func leaflet(_ name: String) -> PageFile? {
    let parts = name.split(separator: "/", omittingEmptySubsequences: false)
    guard parts.first == "leaflet", (2...3).contains(parts.count),
      parts.allSatisfy({ !$0.isEmpty && !$0.hasPrefix(".") })
    else { return nil }
    let path = parts.dropFirst().joined(separator: "/")
    let candidates = path == "leaflet.js" ? ["leaflet.min.js", path] : [path]
    for candidate in candidates {
      if let bytes = try? Files.contents(
        of: "\(leafletFolder)/\(candidate)", atMost: mostLeafletBytes)
      {
        return PageFile(bytes, name: path)
      }
    }
    return nil
  }

  /// What the page may load and talk to: itself, and a map's tiles for who asks for them.
  private static func policy(styleHash: String) -> String {
    let style = styleHash.isEmpty ? "" : " 'sha256-\(styleHash)'"
    return [
      "default-src 'none'", "script-src 'self'", "style-src 'self'\(style)",
      "img-src 'self' data: blob: https://tile.openstreetmap.org", "connect-src 'self'",
      "media-src 'self' blob:", "manifest-src 'self'", "base-uri 'none'", "form-action 'none'",
      "frame-ancestors 'none'",
    ].joined(separator: "; ")
  }
}
