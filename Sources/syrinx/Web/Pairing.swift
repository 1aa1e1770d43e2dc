internal import Doors

/// The way by which a phone comes to the node's page.
struct Pairing: Equatable {
  /// The address of the page.
  let page: String
  /// The path of the token; nil where none is needed.
  let tokenPath: String?
  /// The port at which the node is told things by OSC.
  let oscPort: UInt16

  /// The address that a phone opens once: with the token, where one is needed.
  ///
  /// It stands behind the mark that browsers send to nobody.
  var address: String {
    guard let tokenPath, let text = WebToken(at: tokenPath).text else { return page }
    return "\(page)#t=\(text)"
  }

  /// What a person is shown: a code for a phone's camera, the address, and who can come in.
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
