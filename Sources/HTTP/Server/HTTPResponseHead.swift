internal import Glibc

/// The head of a response.
enum HTTPResponseHead {
  private static let reasons = [
    100: "Continue", 101: "Switching Protocols", 200: "OK", 204: "No Content",
    206: "Partial Content", 301: "Moved Permanently", 302: "Found", 304: "Not Modified",
    307: "Temporary Redirect", 400: "Bad Request", 401: "Unauthorized", 403: "Forbidden",
    404: "Not Found", 405: "Method Not Allowed", 408: "Request Timeout", 409: "Conflict",
    413: "Content Too Large", 414: "URI Too Long", 415: "Unsupported Media Type",
    416: "Range Not Satisfiable", 421: "Misdirected Request", 422: "Unprocessable Content",
    426: "Upgrade Required", 429: "Too Many Requests", 431: "Request Header Fields Too Large",
    500: "Internal Server Error", 501: "Not Implemented", 503: "Service Unavailable",
    505: "HTTP Version Not Supported", 507: "Insufficient Storage",
  ]
  private static let days = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
  private static let months = [
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
  ]

  /// Whether a response with a status has a body.
  static func hasBody(_ status: Int) -> Bool { status >= 200 && status != 204 && status != 304 }

  /// Writes a head, for a body of `length` bytes.
  static func bytes(
    _ status: Int, headers: [(name: String, value: String)], length: Int, isLast: Bool
  ) -> [UInt8] {
    var text = "HTTP/1.1 \(status) \(reasons[status] ?? "Other")\r\nDate: \(date)\r\n"
    if hasBody(status) { text += "Content-Length: \(length)\r\n" }
    if status == 101 { text += "Connection: Upgrade\r\n" }
    if isLast { text += "Connection: close\r\n" }
    // A value with a line end would forge a header.
    for (name, value) in headers where value.utf8.allSatisfy({ $0 >= 32 || $0 == 9 }) {
      text += "\(name): \(value)\r\n"
    }
    return Array((text + "\r\n").utf8)
  }

  private static var date: String {
    var seconds = time(nil)
    var parts = tm()
    gmtime_r(&seconds, &parts)
    func two(_ number: Int32) -> String { number < 10 ? "0\(number)" : "\(number)" }
    return "\(days[Int(parts.tm_wday)]), \(two(parts.tm_mday)) \(months[Int(parts.tm_mon)]) "
      + "\(1900 + parts.tm_year) \(two(parts.tm_hour)):\(two(parts.tm_min)):\(two(parts.tm_sec)) GMT"
  }
}
