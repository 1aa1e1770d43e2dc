import Foundation
import HTTP
import JSON
import Posix
import TestSupport

@testable import Feed

/// A board with its server, on an event loop in its own thread.
final class BoardRig: @unchecked Sendable {
  let folder: TemporaryFolder
  let board: Board
  let port: UInt16
  private let ending = Guarded(false)
  private let ended = DispatchSemaphore(value: 0)

  convenience init?(
    _ kind: StoreKind = .sqlite, _ change: (inout BoardLimits) -> Void = { _ in }
  ) throws {
    let folder = try TemporaryFolder()
    guard let place = try kind.place(in: folder) else { return nil }
    try self.init(place.open(), in: folder, change)
  }

  init(
    _ store: any BoardStore, in folder: TemporaryFolder,
    _ change: (inout BoardLimits) -> Void = { _ in }
  ) throws {
    self.folder = folder
    var limits = BoardLimits()
    limits.postsAMinute = nil
    change(&limits)
    board = try Board(store, scratch: folder.path("scratch"), limits: limits)
    var options = BoardDoor.Options(port: 0)
    options.hosts = ["board.example"]
    let loop = EventLoop()
    let door = Handed((try BoardDoor(options, board: board, loop: loop), loop))
    port = door.value.0.port
    let thread = Foundation.Thread { [ending, ended] in
      let (door, loop) = door.value
      while !ending.withLock({ $0 }) { loop.turn(milliseconds: 5) }
      door.end()
      ended.signal()
    }
    thread.start()
  }

  /// Stops the server, and waits until it has stopped.
  func end() {
    let isEnding = ending.withLock { ending in
      defer { ending = true }
      return ending
    }
    if !isEnding { ended.wait() }
  }

  deinit { end() }

  /// The contents of the folder for incoming posts.
  var scratch: [String] {
    (try? FileManager.default.contentsOfDirectory(atPath: folder.path("scratch"))) ?? []
  }

  /// Sends a request on a separate connection.
  func ask(
    _ method: String, _ path: String, _ headers: [String: String] = [:], body: [UInt8]? = nil
  ) throws -> RawAnswer {
    try RawAnswer.to(method, path, headers, body: body, port: port)
  }

  func get(_ path: String, _ headers: [String: String] = [:]) throws -> RawAnswer {
    try ask("GET", path, headers)
  }

  func post(_ body: String, _ headers: [String: String] = [:]) throws -> RawAnswer {
    try ask("POST", "/postaudio", headers, body: Array(body.utf8))
  }
}

/// Sends a raw request and returns the raw response.
struct RawAnswer {
  var status = 0
  var headers: [String: String] = [:]
  var body: [UInt8] = []

  var text: String { String(decoding: body, as: UTF8.self) }
  var json: JSON { get throws { try JSON(body) } }

  static func to(
    _ method: String, _ path: String, _ headers: [String: String] = [:], body: [UInt8]? = nil,
    port: UInt16
  ) throws -> RawAnswer {
    var headers = headers
    headers["Connection"] = "close"
    if headers["Host"] == nil { headers["Host"] = "127.0.0.1" }
    if let body, headers["Transfer-Encoding"] == nil { headers["Content-Length"] = "\(body.count)" }
    let lines = headers.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value)\r\n" }.joined()
    return try to(
      Array("\(method) \(path) HTTP/1.1\r\n\(lines)\r\n".utf8) + (body ?? []), port: port)
  }

  /// Sends bytes, and reads until the peer closes the connection.
  ///
  /// It has no time limit: on a busy machine the server's thread may have to wait long for a processor.
  static func to(_ bytes: [UInt8], port: UInt16) throws -> RawAnswer {
    let number = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    defer { close(number) }
    let endpoint = Endpoint(address: .loopback4, port: port)
    guard endpoint.withSockaddr({ connect(number, $0, $1) }) == 0 else {
      throw Fault("can't connect: \(String(cString: strerror(errno)))")
    }
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes {
        send(number, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
      }
      // The server does not read a rejected request to its end.
      if count <= 0 { break }
      rest = rest.dropFirst(count)
    }
    var received: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while true {
      let count = recv(number, &buffer, buffer.count, 0)
      if count <= 0 { break }
      received += buffer[..<count]
    }
    guard let end = received.firstRange(of: Array("\r\n\r\n".utf8)) else {
      throw Fault("invalid response: \(String(decoding: received, as: UTF8.self))")
    }
    var answer = RawAnswer()
    let lines = String(decoding: received[..<end.lowerBound], as: UTF8.self)
      .split(separator: "\r\n")
    answer.status = Int(lines[0].split(separator: " ")[1]) ?? 0
    for line in lines.dropFirst() {
      let parts = line.split(separator: ": ", maxSplits: 1)
      answer.headers[parts[0].lowercased()] = parts.count == 2 ? String(parts[1]) : ""
    }
    answer.body = Array(received[end.upperBound...])
    return answer
  }
}
