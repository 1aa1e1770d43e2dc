internal import CPage
internal import HTTP
internal import Posix

/// The page's files, embedded in the program and compressed at their first request.
final class PageFiles: Sendable {
  private static let leafletFolder = "/usr/share/javascript/leaflet"
  private static let mostLeafletBytes = 1 << 20
  private static let (index, style) = ("index.html", "page.css")
  // Replaced by the page's inline style, so that the first response is enough to paint the page.
  private static let link = #"<link rel="stylesheet" href="/page/page.css">"#

  private let packed = Guarded<[String: PageFile]>([:])
  private let policy: String

  init() {
    let style = Self.contents(Self.style).map { Base64.text(of: SHA256.digest($0)) } ?? ""
    policy = Self.policy(styleHash: style)
  }

  /// The page itself, at the node's address.
  func index(_ request: HTTPRequest) -> HTTPAnswer {
    guard let file = find(Self.index) else { return Self.missing }
    return file.answer(to: request, headers: [("Content-Security-Policy", policy)])
  }

  /// A file of the page, or of Leaflet where that is installed, by its path below `/page/`.
  func file(_ name: String, _ request: HTTPRequest) -> HTTPAnswer {
    find(name)?.answer(to: request) ?? Self.missing
  }

  private static let missing = HTTPAnswer.refusal(404, "file not found")

  private func find(_ name: String) -> PageFile? {
    packed.withLock { packed in
      if let known = packed[name] { return known }
      let file = Self.make(name)
      if let file { packed[name] = file }
      return file
    }
  }

  private static func make(_ name: String) -> PageFile? {
    guard let bytes = contents(name) else { return leaflet(name) }
    guard name == index, let style = contents(style) else { return PageFile(bytes, name: name) }
    let page = String(decoding: bytes, as: UTF8.self)
      .replacing(link, with: "<style>\(String(decoding: style, as: UTF8.self))</style>")
      .replacing(preload("main.js"), with: modules().map(preload).joined())
    return PageFile(Array(page.utf8), name: name)
  }

  private static func preload(_ module: String) -> String {
    #"<link rel="modulepreload" href="/page/\#(module)">"#
  }

  /// The modules that the page fetches at once: `main.js`, and all that it imports.
  private static func modules() -> [String] {
    var (names, next) = (["main.js"], 0)
    while next < names.count {
      let name = names[next]
      next += 1
      let folder = name.lastIndex(of: "/").map { String(name[...$0]) } ?? ""
      let lines = String(decoding: contents(name) ?? [], as: UTF8.self).split(separator: "\n")
      for line in lines where line.hasPrefix("import ") {
        // The only quoted text, as "./make.js" or "../store/values.js".
        let path = line.split(separator: "\"")[1]
        let target = path.hasPrefix("../") ? String(path.dropFirst(3)) : folder + path.dropFirst(2)
        if !names.contains(target) { names.append(target) }
      }
    }
    return names
  }

  // Part of the program, which never changes.
  nonisolated(unsafe) private static let embedded: [String: UnsafeBufferPointer<UInt8>] = {
    let files = [page_file](unsafeUninitializedCapacity: page_files_count) { files, count in
      page_files(files.baseAddress!)
      count = page_files_count
    }
    return Dictionary(
      uniqueKeysWithValues: files.map {
        (String(cString: $0.name), UnsafeBufferPointer(start: $0.bytes, count: $0.count))
      })
  }()

  private static func contents(_ name: String) -> [UInt8]? { embedded[name].map { Array($0) } }

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

  /// The content security policy: the page may load and connect to itself, and to a map's tile
  /// server.
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
