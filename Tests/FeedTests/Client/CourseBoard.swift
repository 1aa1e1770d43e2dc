import Foundation
import HTTP
import JSON
import Posix
import TestSupport
import Testing

/// A board as built by students of the course: it has two paths and stores what it receives.
final class CourseBoard: @unchecked Sendable {
  /// The variant of such a board.
  struct Manner {
    /// The number of columns in a row: four without an ID, or five.
    var columns = 5
    /// Whether the rows are inside an object.
    var isObject = true
    /// Whether its paths end with a slash.
    ///
    /// If so, those without one redirect there.
    var hasSlash = true
    /// The target of its redirects, or nil for none.
    var leads: String?
    /// What it sends instead of its list.
    var list: String?
    /// What it sends as a page of posts, which a board of the course doesn't have.
    var page: String?
  }

  private let manner: Manner
  private let folder: TemporaryFolder
  private let loop = EventLoop()
  private let listener: Socket
  private let rows = Guarded<[[String?]]>([])
  private let isOver = Guarded(false)
  private var server: HTTPServer!

  var url: String { "http://127.0.0.1:\(listener.port)" }

  init(_ manner: Manner = Manner()) throws {
    self.manner = manner
    folder = try TemporaryFolder()
    listener = try Socket(.stream, boundTo: Endpoint(address: .loopback4, port: 0))
    server = try HTTPServer(headers: [], upgraded: { _ in }) { [unowned self] in course($0) }
    loop.watch(listener.descriptor) { [unowned self] in
      while let (socket, peer) = listener.accept() { server.take(socket, from: peer) }
    }
    let thread = Thread { [self] in
      while !isOver.withLock({ $0 }) { loop.turn(milliseconds: 5) }
      server.end()
    }
    thread.start()
  }

  /// Stops the server, so that its port refuses connections.
  func end() { isOver.withLock { $0 = true } }

  private func course(_ request: HTTPRequest) -> HTTPServer.RequestHandling {
    if let place = manner.leads {
      var answer = HTTPAnswer.empty(302)
      answer.headers = [("Location", place)]
      return .answer(answer)
    }
    let slash = manner.hasSlash ? "/" : ""
    switch (request.method, request.path) {
    case ("GET", "/getaudio" + slash):
      return .answer(HTTPAnswer(200, Array((manner.list ?? list).utf8), type: "text/html"))
    case ("GET", "/posts") where manner.page != nil:
      return .answer(HTTPAnswer(200, Array(manner.page!.utf8), type: "application/json"))
    case ("POST", "/postaudio" + slash): return .receive { [self] in receive() }
    case (_, "/getaudio"), (_, "/postaudio"):
      return .answer(.empty(301, headers: [("Location", "\(url)\(request.path)/")]))
    default: return .answer(HTTPAnswer(404, Array("<h1>Not Found</h1>".utf8), type: "text/html"))
    }
  }

  private func receive() -> Result<Upload, HTTPAnswer> {
    let upload = try? Upload(in: folder.path("bodies"), named: "body", most: 1 << 24) {
      [self] path, _, reply in
      let bytes = (try? Files.contents(of: path, atMost: 1 << 24)) ?? []
      if let json = try? JSON(bytes) {
        rows.withLock { rows in
          let number = rows.count + 1
          rows.insert(
            [
              json["username"]?.text, json["message"]?.text, "id-\(number)",
              "2026-11-22 10:00:0\(number)", json["audio"]?.text,
            ], at: 0)
        }
      }
      reply { .json("{}") }
    }
    guard let upload else { return .failure(.empty(500)) }
    return .success(upload)
  }

  private var list: String {
    var json = JSONText()
    if manner.isObject { json.begin("{") }
    json.begin("[", manner.isObject ? "chatts" : nil)
    for row in rows.withLock({ $0 }) {
      json.begin("[")
      for (column, text) in row.enumerated() where manner.columns == 5 || column != 2 {
        if let text { json.add(nil, text) } else { json.addNull() }
      }
      json.end("]")
    }
    json.end("]")
    if manner.isObject { json.end("}") }
    return json.text
  }
}

extension CourseBoard.Manner: CustomTestStringConvertible {
  /// Without its replies, which can have megabytes.
  var testDescription: String {
    let replies = [("list", list), ("page", page)].compactMap { name, text in
      text.map { "\(name) of \($0.utf8.count) bytes from \($0.prefix(20))" }
    }
    return "\(columns) columns \(replies.joined(separator: ", "))"
  }
}
