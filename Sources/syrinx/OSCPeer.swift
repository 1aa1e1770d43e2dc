internal import OSC
internal import Posix

/// A peer that speaks OSC, and a port of this program's to talk with it.
protocol OSCPeer: AnyObject {
  /// The action on each message that comes.
  var whenReceived: (_ path: String, _ arguments: [Argument]) -> Void { get set }
  /// The number of the descriptor that becomes readable when a message comes.
  var descriptor: Int32 { get }
  /// The error of the last sending.
  var fault: String { get }

  /// Sends a message, from the port that answers will come to; false when it did not go.
  @discardableResult
  func send(_ path: String, _ arguments: [Argument]) -> Bool
  /// Sends messages in one bundle, due at a time; false when it did not go.
  func send(_ messages: [(path: String, arguments: [Argument])], at time: TimeTag) -> Bool
  /// Waits for messages for so long at the most; false when none came.
  func receive(milliseconds: Int) -> Bool
}

extension OSCPeer {
  /// Sends a message, from the port that answers will come to; false when it did not go.
  @discardableResult
  func send(_ path: String, _ arguments: Argument...) -> Bool { send(path, arguments) }
}

extension NodePlace {
  /// Makes a peer of the node at this place.
  func peer() throws(Failure) -> any OSCPeer {
    // liblo, as it is packaged, knows no version 6.
    if let endpoint = Endpoint(resolving: text), !endpoint.address.isVersion4 {
      guard !isStream else {
        throw Failure(
          .unavailable, "\(text) is of version 6, which is talked to over UDP: osc.udp://\(text)")
      }
      do throws(SystemError) {
        return try SocketPeer(endpoint)
      } catch {
        throw Failure(.unavailable, "can't talk to \(text): \(error)")
      }
    }
    guard let peer = LibloPeer(self) else {
      throw Failure(.fault, "there is no port to talk to \(text) from")
    }
    return peer
  }
}
