internal import Posix

/// The head of a request: its request line and header fields, parsed strictly.
///
/// A message that two servers could read in different ways is refused rather than repaired: a proxy in front
/// of this one could have let it pass for something else.
struct HTTPRequestHead {
  /// The framing of the body.
  enum Framing: Equatable {
    case none
    /// This many bytes.
    case counted(Int)
    case chunked
  }

  /// The request.
  let request: HTTPRequest
  /// The framing of its body.
  let framing: Framing
  /// Whether the client closes the connection after the response.
  let isLast: Bool
  /// Whether the client waits for `100 Continue` before it sends the body.
  let awaitsContinue: Bool

  private static let headers = Dictionary(
    uniqueKeysWithValues: HTTPRequest.Header.allCases.map { ($0.rawValue.lowercased(), $0) })
  // The headers whose values form a list; any other one may occur once only.
  private static let lists: Set<HTTPRequest.Header> = [
    .accept, .acceptEncoding, .ifNoneMatch, .upgrade, .forwardedProtocol,
  ]

  /// Parses a head that ends with an empty line and that `HTTPHeadScanner` has accepted.
  init(_ bytes: ArraySlice<UInt8>, from peer: IPAddress) throws(HTTPAnswer) {
    var lines: [ArraySlice<UInt8>] = []
    var rest = bytes
    while let end = rest.firstIndex(of: 10) {
      lines.append(rest[rest.startIndex..<end - 1])
      rest = rest[(end + 1)...]
    }
    let parts = lines[0].split(separator: 32, omittingEmptySubsequences: false)
    guard parts.count == 3, Self.isToken(parts[0]), !parts[1].isEmpty else {
      throw Self.fault("invalid request line; expected METHOD PATH HTTP/1.1")
    }
    let version = String(decoding: parts[2], as: UTF8.self)
    guard version == "HTTP/1.1" || version == "HTTP/1.0" else {
      throw .refusal(505, "only HTTP/1.1 and HTTP/1.0 are supported")
    }
    var request = HTTPRequest(String(decoding: parts[0], as: UTF8.self), "", from: peer)
    var others: [String: String] = [:]
    for line in lines.dropFirst() where !line.isEmpty {
      let (name, value) = try Self.field(line)
      if let header = Self.headers[name] {
        guard let former = request[header] else {
          request[header] = value
          continue
        }
        guard Self.lists.contains(header) else {
          throw Self.fault("more than one \(header.rawValue)")
        }
        request[header] = "\(former), \(value)"
      } else if ["connection", "expect", "transfer-encoding"].contains(name) {
        others[name] = others[name].map { "\($0), \(value)" } ?? value
      }
    }
    guard version == "HTTP/1.0" || request[.host] != nil else {
      throw Self.fault("missing Host header")
    }
    try Self.read(target: parts[1], into: &request)
    self.request = request
    framing = try Self.framing(
      request[.contentLength], others["transfer-encoding"], isOld: version == "HTTP/1.0")
    let connection = (others["connection"] ?? "").lowercased().split(separator: ",")
    isLast =
      version == "HTTP/1.0"
      || connection.contains { $0.filter { $0 != " " && $0 != "\t" } == "close" }
    awaitsContinue = version == "HTTP/1.1" && others["expect"]?.lowercased() == "100-continue"
  }

  /// The response to a malformed request.
  static func fault(_ line: String) -> HTTPAnswer { .refusal(400, line) }

  // MARK: - Parts

  /// Parses a header field into its lowercase name and its value.
  private static func field(
    _ line: ArraySlice<UInt8>
  ) throws(HTTPAnswer) -> (name: String, value: String) {
    guard line.first != 32, line.first != 9 else {
      throw fault("folded header lines are not accepted")
    }
    guard let colon = line.firstIndex(of: 58), isToken(line[..<colon]) else {
      throw fault("invalid header line; expected NAME: VALUE")
    }
    var value = line[(colon + 1)...]
    while value.first == 32 || value.first == 9 { value.removeFirst() }
    while value.last == 32 || value.last == 9 { value.removeLast() }
    return (
      String(decoding: line[..<colon], as: UTF8.self).lowercased(),
      String(decoding: value, as: UTF8.self)
    )
  }

  private static func isToken(_ bytes: ArraySlice<UInt8>) -> Bool {
    !bytes.isEmpty
      && bytes.allSatisfy { byte in
        switch byte {
        case 48...57, 65...90, 94...122, 124, 126, 33, 35...39, 42, 43, 45, 46: true
        default: false
        }
      }
  }

  private static func framing(
    _ length: String?, _ coding: String?, isOld: Bool
  ) throws(HTTPAnswer) -> Framing {
    guard let coding else {
      guard let length else { return .none }
      guard !length.isEmpty, length.utf8.allSatisfy({ 48...57 ~= $0 }) else {
        throw fault("invalid Content-Length; expected a number of bytes")
      }
      guard let count = Int(length) else { throw .refusal(413, "too large") }
      return count == 0 ? .none : .counted(count)
    }
    guard length == nil, !isOld else {
      throw fault("Transfer-Encoding with Content-Length or HTTP/1.0 is not accepted")
    }
    guard coding.lowercased() == "chunked" else {
      throw .refusal(501, "the only supported Transfer-Encoding is chunked")
    }
    return .chunked
  }

  /// Parses `/path?query` or, as sent to proxies, `http://HOST/path?query`.
  private static func read(
    target: ArraySlice<UInt8>, into request: inout HTTPRequest
  ) throws(HTTPAnswer) {
    var target = target
    if target.first != 47 {
      let text = String(decoding: target, as: UTF8.self)
      let scheme = ["http://", "https://"].first { text.lowercased().hasPrefix($0) }
      guard let scheme else { throw fault("invalid path; expected one that begins with /") }
      target = target.dropFirst(scheme.utf8.count)
      let authority = target.prefix { $0 != 47 && $0 != 63 }
      // The host of the URI would have priority over the header, which proxies and the checks here go by.
      guard let host = request[.host],
        host.lowercased() == String(decoding: authority, as: UTF8.self).lowercased()
      else { throw fault("the URI names another host than the Host header") }
      target = target[authority.endIndex...]
    }
    let path = target.prefix { $0 != 63 }
    guard !target.contains(35), let plain = decoded(path, hasPlus: false) else {
      throw fault("invalid path; expected percent-encoded UTF-8")
    }
    request.path = plain.isEmpty ? "/" : plain
    for part in target[path.endIndex...].dropFirst().split(separator: 38) {
      let name = part.prefix { $0 != 61 }
      let value = name.endIndex < part.endIndex ? part[(name.endIndex + 1)...] : nil
      guard let plainName = decoded(name, hasPlus: true) else { throw invalidQuery }
      guard let value else {
        request.query.append((plainName, nil))
        continue
      }
      guard let plainValue = decoded(value, hasPlus: true) else { throw invalidQuery }
      request.query.append((plainName, plainValue))
    }
  }

  private static let invalidQuery = fault("invalid query; expected percent-encoded UTF-8")

  /// Decodes percent-encoded bytes, or returns nil if they are malformed or contain NUL.
  private static func decoded(_ bytes: ArraySlice<UInt8>, hasPlus: Bool) -> String? {
    var plain: [UInt8] = []
    plain.reserveCapacity(bytes.count)
    var index = bytes.startIndex
    while index < bytes.endIndex {
      switch bytes[index] {
      case 37:
        guard index + 2 < bytes.endIndex, let high = digit(bytes[index + 1]),
          let low = digit(bytes[index + 2]), high + low > 0
        else { return nil }
        plain.append(high << 4 | low)
        index += 3
      case 43 where hasPlus:
        plain.append(32)
        index += 1
      case let byte:
        plain.append(byte)
        index += 1
      }
    }
    return String(validating: plain, as: UTF8.self)
  }

  /// The value of a hexadecimal digit.
  static func digit(_ byte: UInt8) -> UInt8? {
    switch byte {
    case 48...57: byte - 48
    case 65...70: byte - 55
    case 97...102: byte - 87
    default: nil
    }
  }
}
