package import OSC

/// A received OSC message, as tests compare it.
package struct Received: Equatable, CustomStringConvertible {
  /// The address.
  package let address: String
  /// The arguments.
  package let arguments: [Argument]

  /// Creates a message.
  package init(_ address: String, _ arguments: [Argument]) {
    self.address = address
    self.arguments = arguments
  }

  /// Parses the messages in a packet.
  package static func all(in packet: UnsafeRawBufferPointer) -> [Received] {
    var result: [Received] = []
    try? Packet.read(packet) { message, _ in
      result.append(Received(message.addressText, message.arguments))
    }
    return result
  }

  package var description: String { "\(address) \(arguments)" }
}
