internal import CMicrohttpd
package import Posix

/// A connection that came in by HTTP, and goes on as a stream of bytes.
package final class UpgradedStream: @unchecked Sendable {
  /// The request by which it began.
  package let request: HTTPRequest
  /// What had come of it already behind that request.
  package let early: [UInt8]
  /// The stream; nil where the system has no more descriptors.
  package let socket: Socket?
  // The HTTP server keeps its own end open until it is told.
  private let handle: OpaquePointer?

  init(_ request: HTTPRequest, socket: Int32, early: [UInt8], handle: OpaquePointer?) {
    self.request = request
    self.early = early
    self.handle = handle
    // What waits in the system's buffer can't be taken back when it is old.
    self.socket = try? Socket(ofStream: socket, outgoingBytes: 65_536)
  }

  deinit { mh_close(handle) }
}
