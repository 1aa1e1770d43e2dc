internal import Foundation
internal import Glibc
internal import Posix

/// What a port of this machine answers to one request by HTTP.
package struct WebAnswer {
  /// Its code.
  package private(set) var status = 0
  /// Its headers, by their names in small letters.
  package private(set) var headers: [String: String] = [:]
  /// What follows them, as it came.
  package private(set) var body: [UInt8] = []

  /// Asks, on a connection of its own.
  package init(
    from port: UInt16, _ path: String, method: String = "GET", headers: [String: String] = [:],
    body sent: [UInt8] = []
  ) throws {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    defer { close(descriptor) }
    // What takes so long never comes.
    var patience = timeval(tv_sec: 20, tv_usec: 0)
    setsockopt(
      descriptor, SOL_SOCKET, SO_RCVTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
    let endpoint = Endpoint(address: .loopback4, port: port)
    guard endpoint.withSockaddr({ connect(descriptor, $0, $1) }) == 0 else {
      throw Fault("nobody listens at port \(port)")
    }
    let all = headers.merging([
      "Host": "127.0.0.1:\(port)", "Connection": "close", "Content-Length": "\(sent.count)",
    ]) { own, _ in own }
    let head =
      "\(method) \(path) HTTP/1.1\r\n" + all.map { "\($0): \($1)\r\n" }.joined() + "\r\n"
    var rest = (Array(head.utf8) + sent)[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes {
        Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
      }
      guard count > 0 else { throw Fault("\(path) can't be asked for") }
      rest = rest.dropFirst(count)
    }
    try read(from: descriptor, hasBody: method != "HEAD", path)
  }

  private mutating func read(from descriptor: Int32, hasBody: Bool, _ path: String) throws {
    var received: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 65_536)
    var whole: Int?
    while whole.map({ received.count < $0 }) ?? true {
      let count = recv(descriptor, &buffer, buffer.count, 0)
      guard count > 0 else { throw Fault("the answer to \(path) is cut off") }
      received += buffer[..<count]
      if whole == nil, let end = received.firstRange(of: Array("\r\n\r\n".utf8)) {
        readHead(received[..<end.lowerBound])
        let length = hasBody && status != 304 ? Int(headers["content-length"] ?? "0") ?? 0 : 0
        whole = end.upperBound + length
        received.reserveCapacity(whole!)
        body.reserveCapacity(length)
        headEnd = end.upperBound
      }
    }
    body = Array(received[headEnd...])
  }

  private var headEnd = 0

  private mutating func readHead(_ bytes: ArraySlice<UInt8>) {
    let lines = String(decoding: bytes, as: UTF8.self).components(separatedBy: "\r\n")
    status = Int(lines[0].split(separator: " ").dropFirst().first ?? "") ?? 0
    for line in lines.dropFirst() {
      guard let colon = line.firstIndex(of: ":") else { continue }
      headers[line[..<colon].lowercased()] = line[line.index(after: colon)...]
        .trimmingCharacters(in: .whitespaces)
    }
  }
}
