internal import OSC
internal import Posix

/// An OSC peer, with a port of this program to talk to it.
protocol OSCPeer: AnyObject {
  /// Called for each received message.
  var whenReceived: (_ path: String, _ arguments: [Argument]) -> Void { get set }
  /// The file descriptor that becomes readable when a message arrives.
  var descriptor: Int32 { get }
  /// The error of the last send.
  var fault: String { get }

  /// Sends a message from the port that receives the replies.
  ///
  /// Returns false if it could not be sent.
  @discardableResult
  func send(_ path: String, _ arguments: [Argument]) -> Bool
  /// Sends messages in one bundle, due at a time.
  ///
  /// Returns false if it could not be sent.
  func send(_ messages: [(path: String, arguments: [Argument])], at time: TimeTag) -> Bool
  /// Waits up to `milliseconds` for messages.
  ///
  /// Returns false if none arrived.
  func receive(milliseconds: Int) -> Bool
}

extension OSCPeer {
  /// Sends a message from the port that receives the replies.
  ///
  /// Returns false if it could not be sent.
  @discardableResult
  func send(_ path: String, _ arguments: Argument...) -> Bool { send(path, arguments) }
}

extension NodePlace {
  /// Creates the peer for this node.
  func peer() throws(Failure) -> any OSCPeer {
    // The packaged liblo has no IPv6.
    if let endpoint = Endpoint(resolving: text), !endpoint.address.isVersion4 {
      guard !isStream else {
        throw Failure(
          .unavailable, "\(text) is of version 6, which is talked to over UDP: osc.udp://\(text)")
      }
      return try Failure.of(.unavailable, "can't talk to \(text): ", try SocketPeer(endpoint))
    }
    guard let peer = LibloPeer(self) else {
      throw Failure(.fault, "there is no port to talk to \(text) from")
    }
    return peer
  }
}
