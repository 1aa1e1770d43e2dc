internal import Glibc
internal import Posix

/// The file from which `syrinx web` reads how a phone reaches the page of a running node.
struct PairingFile {
  private let path: String
  /// The contents of the file.
  let pairing: Pairing

  /// Writes the file; nil if that fails.
  init?(name: String, home: String, _ pairing: Pairing) {
    self.pairing = pairing
    path = Self.path(name: name, home: home)
    let lines = [pairing.page, pairing.tokenPath ?? "", "\(pairing.oscPort)"]
    do throws(SystemError) {
      try Files.makeFolder(URLFile.folder ?? home)
      try Files.write(lines.joined(separator: "\n") + "\n", to: path)
      chmod(path, 0o600)
    } catch {
      Environment.say("can't write \(path) (\(error)); `syrinx web` will not find this node")
      return nil
    }
  }

  /// Reads the file of a running node by name; nil if there is none, or the node has no page.
  static func read(name: String, home: String) -> Pairing? {
    guard let text = Files.read(path(name: name, home: home)) else { return nil }
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    guard lines.count >= 3, let port = UInt16(lines[2]) else { return nil }
    return Pairing(page: lines[0], tokenPath: lines[1].isEmpty ? nil : lines[1], oscPort: port)
  }

  /// Next to the URL file; without that folder, in the data directory.
  private static func path(name: String, home: String) -> String {
    "\(URLFile.folder ?? home)/\(name).web"
  }

  /// Removes the file.
  func remove() { if Self.isOwn(pairing, at: path) { Files.remove(path) } }

  private static func isOwn(_ pairing: Pairing, at path: String) -> Bool {
    Files.read(path)?.hasPrefix(pairing.page + "\n") ?? false
  }
}
