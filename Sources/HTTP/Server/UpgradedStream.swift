internal import CMicrohttpd
package import Posix

/// A connection that was upgraded from HTTP to a byte stream.
package final class UpgradedStream: @unchecked Sendable {
  /// The request that upgraded it.
  package let request: HTTPRequest
  /// The bytes already received after that request.
  package let early: [UInt8]
  /// The stream, or nil if no descriptor was available.
  package let socket: Socket?
  // libmicrohttpd keeps its own descriptor open until this handle is closed.
  private let handle: OpaquePointer?

  init(_ request: HTTPRequest, socket: Int32, early: [UInt8], handle: OpaquePointer?) {
    self.request = request
    self.early = early
    self.handle = handle
    // A small send buffer: data in it can't be withdrawn when it is outdated.
    self.socket = try? Socket(ofStream: socket, outgoingBytes: 65_536)
  }

  deinit { mh_close(handle) }
}
