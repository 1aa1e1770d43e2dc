internal import Doors
internal import Posix

/// The data by which a phone reaches the node's page.
struct Pairing: Equatable {
  /// The address of the page.
  let page: String
  /// The path of the token; nil if none is needed.
  let tokenPath: String?
  /// The node's OSC port.
  let oscPort: UInt16
  /// The fingerprint of the node's certificate authority; nil without HTTPS.
  var fingerprint: String?

  /// The address that a phone opens once, with the token if one is needed.
  ///
  /// The token is in the fragment (#), which browsers never send.
  var address: String {
    guard let tokenPath, let text = WebToken(at: tokenPath).text else { return page }
    return "\(page)#t=\(text)"
  }

  /// Reads the pairing of a running node by name; nil if there is none, or the node has no page.
  static func read(name: String, home: String) -> Pairing? {
    guard let text = Files.read("\(NodeFile.folder ?? home)/\(name).web") else { return nil }
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    guard lines.count >= 3, let port = UInt16(lines[2]) else { return nil }
    return Pairing(
      page: lines[0], tokenPath: lines[1].isEmpty ? nil : lines[1], oscPort: port,
      fingerprint: lines.count > 3 && !lines[3].isEmpty ? lines[3] : nil)
  }

  /// Writes the file from which `syrinx web` reads the pairing of a node; nil if that fails.
  ///
  /// It is next to the URL file; without that folder, in the data directory.
  func write(name: String, home: String) -> NodeFile? {
    NodeFile(
      "\(name).web", in: NodeFile.folder ?? home,
      "\(page)\n\(tokenPath ?? "")\n\(oscPort)\n\(fingerprint ?? "")\n", mode: 0o600,
      "`syrinx web` will not find this node")
  }

  /// The lines shown to the user: a QR code, the address, and who can connect.
  var lines: [String] {
    var lines = QRCode(address)?.lines ?? []
    lines.append(address)
    if tokenPath != nil {
      lines.append(
        "Anyone with this address can play the node; `syrinx web --renew` replaces it.")
    } else if !isForThisMachine {
      lines.append("Anyone on this network can play the node on its page.")
    }
    if let fingerprint {
      lines += [
        "To trust the page, a phone installs \(page.replacing("https:", with: "http:"))certificate; "
          + "the fingerprint (SHA-256) that it shows must be",
        fingerprint,
      ]
    }
    if !isForThisMachine {
      lines.append(
        "OSC over UDP and TCP (port \(oscPort)) needs no token; --allow limits it to addresses."
      )
    }
    return lines
  }

  private var isForThisMachine: Bool {
    page.hasPrefix("http://127.") || page.hasPrefix("https://127.")
  }
}
