internal import Doors

/// The data by which a phone reaches the node's page.
struct Pairing: Equatable {
  /// The address of the page.
  let page: String
  /// The path of the token; nil if none is needed.
  let tokenPath: String?
  /// The node's OSC port.
  let oscPort: UInt16

  /// The address that a phone opens once, with the token if one is needed.
  ///
  /// The token is in the fragment (#), which browsers never send.
  var address: String {
    guard let tokenPath, let text = WebToken(at: tokenPath).text else { return page }
    return "\(page)#t=\(text)"
  }

  /// The lines shown to the user: a QR code, the address, and who can connect.
  var lines: [String] {
    var lines = QRCode(address)?.lines ?? []
    lines.append(address)
    if tokenPath != nil {
      lines.append(
        "Whoever has this address can play the node; `syrinx web --renew` makes another.")
    } else if !isForThisMachine {
      lines.append("Everybody on this network can play the node by its page.")
    }
    if !isForThisMachine {
      lines.append(
        "OSC over UDP and TCP (port \(oscPort)) asks nobody for a token; --allow limits who is heard."
      )
    }
    return lines
  }

  private var isForThisMachine: Bool { page.hasPrefix("http://127.") }
}
