package import Posix

/// A connection that was upgraded from HTTP to a byte stream.
package final class UpgradedStream: @unchecked Sendable {
  // A small send buffer: data in it can't be withdrawn when it is outdated.
  private static let outgoingBytes = 65_536

  /// The request that upgraded it.
  package let request: HTTPRequest
  /// The bytes already received after that request.
  package let early: [UInt8]
  /// The stream, passed from the server's thread to the one that takes it over.
  package let socket: Socket

  init(_ request: HTTPRequest, socket: Socket, early: [UInt8]) {
    self.request = request
    self.early = early
    self.socket = socket
    socket.limitOutgoing(bytes: Self.outgoingBytes)
  }
}
