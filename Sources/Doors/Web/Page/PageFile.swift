internal import CZlib
internal import HTTP

/// A file of the page, ready to be served.
struct PageFile: Sendable {
  let bytes: [UInt8]
  /// The compressed file; nil if that is no shorter.
  let packed: [UInt8]?
  let type: String
  /// The ETag by which a browser validates its copy.
  let tag: String

  init(_ bytes: [UInt8], name: String) {
    self.bytes = bytes
    type = Self.type(of: name)
    tag = "\"\(Hexadecimal.text(of: SHA256.digest(bytes).prefix(12)))\""
    let packed = Self.isText(type) ? Self.pack(bytes) : nil
    self.packed = packed.flatMap { $0.count < bytes.count ? $0 : nil }
  }

  /// The response to a request for the file.
  func answer(
    to request: HTTPRequest, headers: [(name: String, value: String)] = []
  ) -> HTTPAnswer {
    // Revalidated each time, and sent only if changed, so that no browser runs an old page.
    var headers =
      headers + [
        ("ETag", tag), ("Cache-Control", "no-cache"), ("Vary", "Accept-Encoding, Accept"),
      ]
    if request[.ifNoneMatch]?.contains(tag) ?? false {
      return .empty(304, headers: headers)
    }
    if let packed, request[.acceptEncoding]?.contains("gzip") ?? false {
      headers.append(("Content-Encoding", "gzip"))
      return HTTPAnswer(200, packed, type: type, headers: headers)
    }
    return HTTPAnswer(200, bytes, type: type, headers: headers)
  }

  // MARK: - Types

  private static let types = [
    "html": "text/html; charset=utf-8", "css": "text/css; charset=utf-8",
    "js": "text/javascript; charset=utf-8", "json": "application/json",
    "webmanifest": "application/manifest+json", "svg": "image/svg+xml", "png": "image/png",
    "jpg": "image/jpeg", "jpeg": "image/jpeg", "gif": "image/gif", "webp": "image/webp",
    "wav": "audio/wav", "flac": "audio/flac", "ogg": "audio/ogg",
  ]

  /// The MIME type for a file name's extension.
  static func type(of name: String) -> String {
    let ending = name.lastIndex(of: ".").map { name[name.index(after: $0)...].lowercased() } ?? ""
    return types[ending] ?? "application/octet-stream"
  }

  private static func isText(_ type: String) -> Bool {
    type.hasPrefix("text/") || type.contains("json") || type.contains("svg")
  }

  private static func pack(_ bytes: [UInt8]) -> [UInt8]? {
    var stream = z_stream()
    // A window of 15 bits, plus 16 for a gzip header.
    guard
      deflateInit2_(
        &stream, 9, Z_DEFLATED, 15 + 16, 9, Z_DEFAULT_STRATEGY, ZLIB_VERSION,
        Int32(MemoryLayout<z_stream>.size)) == Z_OK
    else { return nil }
    defer { deflateEnd(&stream) }
    var input = bytes
    var output = [UInt8](repeating: 0, count: Int(deflateBound(&stream, UInt(bytes.count))))
    let isWhole = input.withUnsafeMutableBufferPointer { input in
      output.withUnsafeMutableBufferPointer { output in
        stream.next_in = input.baseAddress
        stream.avail_in = UInt32(input.count)
        stream.next_out = output.baseAddress
        stream.avail_out = UInt32(output.count)
        return deflate(&stream, Z_FINISH) == Z_STREAM_END
      }
    }
    return isWhole ? Array(output.prefix(Int(stream.total_out))) : nil
  }
}
