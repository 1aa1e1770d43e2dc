package import OSC

/// A message as tests compare it.
package struct Received: Equatable, CustomStringConvertible {
  /// Its address.
  package let address: String
  /// Its arguments.
  package let arguments: [Argument]

  /// A message.
  package init(_ address: String, _ arguments: [Argument]) {
    self.address = address
    self.arguments = arguments
  }

  /// The messages in a packet.
  package static func all(in packet: UnsafeRawBufferPointer) -> [Received] {
    var result: [Received] = []
    try? Packet.read(packet) { message, _ in
      result.append(Received(message.addressText, message.arguments))
    }
    return result
  }

  package var description: String { "\(address) \(arguments)" }
}
