internal import CCrypto
internal import Glibc
package import Posix

/// A certificate authority of one node, whose certificate can be installed on phones.
///
/// The key of the installed root certificate is discarded as soon as it has signed an issuer for this machine.
/// That one is constrained to the machine's names, its addresses at that time, and private addresses: its key,
/// which is kept, can't impersonate other sites. It is stored in a file that only its owner can read.
package final class CertificateAuthority: @unchecked Sendable {
  // Below the maximum lifetime of a server certificate on iOS.
  private static let serverDays = 820
  private static let days = 3650
  private static let privateAddresses = [
    "127.0.0.0/255.0.0.0", "10.0.0.0/255.0.0.0", "172.16.0.0/255.240.0.0",
    "192.168.0.0/255.255.0.0", "169.254.0.0/255.255.0.0", "100.64.0.0/255.192.0.0",
    "0:0:0:0:0:0:0:1/ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff",
    "fc00:0:0:0:0:0:0:0/fe00:0:0:0:0:0:0:0", "fe80:0:0:0:0:0:0:0/ffc0:0:0:0:0:0:0:0",
  ]
  private static let mostBytes = 1 << 20

  /// The root certificate in PEM, for phones to install.
  package let certificate: String
  /// The SHA-256 fingerprint of the root certificate, as phones show it.
  package let fingerprint: String
  /// Whether it is new, so that no phone has it yet.
  package let isNew: Bool
  private let pair: Pair
  private let names: [String]

  /// Opens the authority in a folder; creates it if none is saved, or if that one expires soon, is damaged, or
  /// doesn't permit one of these hosts.
  ///
  /// A former one stays in the folder as a file that ends with `.old`.
  package init(
    folder: String, hosts: [String], addresses: [IPAddress] = []
  ) throws(SystemError) {
    // A name of one part could also be a top-level domain, with everything below.
    names = hosts.filter { $0 == "localhost" || Self.isName($0) && $0.contains(".") }
    let path = folder + "/authority.pem"
    if let saved = try Self.saved(path), saved.isFit(for: names) {
      (pair, isNew) = (saved, false)
    } else {
      try Files.makeFolder(folder)
      guard chmod(folder, 0o700) == 0 else { throw SystemError(folder) }
      let lock = try FileLock(awaiting: folder + "/.lock")
      // Another node of this folder may have been faster.
      if let saved = try Self.saved(path), saved.isFit(for: names) {
        (pair, isNew) = (saved, false)
      } else {
        (pair, isNew) = (try Self.make(names, hosts.compactMap { IPAddress($0) } + addresses), true)
        rename(path, path + ".old")
        try Files.writePrivate(try pair.text(), to: path)
      }
      withExtendedLifetime(lock) {}
    }
    certificate = try pair.root.text()
    fingerprint = pair.root.fingerprint
  }

  /// Returns a new certificate and key for the hosts, and for the addresses that the constraints permit.
  package func identity(addresses: [IPAddress]) throws(SystemError) -> TLSIdentity {
    try identity(addresses: addresses, names: names)
  }

  func identity(addresses: [IPAddress], names: [String]) throws(SystemError) -> TLSIdentity {
    // Browsers can't use link-local addresses of IPv6.
    let permitted = Set(addresses).map(\.description).filter {
      !$0.hasPrefix("fe80:") && pair.permits([$0])
    }
    let (hosts, key) = (names + permitted.sorted(), try PrivateKey())
    let server = try pair.issue(hosts, days: Self.serverDays, for: key)
    guard
      let settings = cc_new_server(server.pointer, pair.issuer.pointer, key.pointer)
    else { throw CryptoFault.error }
    return TLSIdentity(settings, hosts: Set(hosts), chain: try server.text() + pair.issuer.text())
  }

  // MARK: - Files

  private static func saved(_ path: String) throws(SystemError) -> Pair? {
    do throws(SystemError) {
      return Pair(String(decoding: try Files.contents(of: path, atMost: mostBytes), as: UTF8.self))
    } catch {
      if error.isMissing { return nil }
      throw error
    }
  }

  // MARK: - Making

  private static func isName(_ host: String) -> Bool {
    IPAddress(host) == nil
      && host.utf8.allSatisfy {
        97...122 ~= $0 || 48...57 ~= $0 || $0 == 45 || $0 == 46 || $0 == 95
      }
  }

  private static func make(
    _ names: [String], _ addresses: [IPAddress]
  ) throws(SystemError) -> Pair {
    let title = "Syrinx on \(names.first { $0 != "localhost" } ?? "this machine")"
    let (rootKey, key) = (try PrivateKey(), try PrivateKey())
    let root = try Certificate(
      title, days: days, key: rootKey, issuer: nil, issuerKey: rootKey,
      [
        (NID_basic_constraints, "critical,CA:TRUE,pathlen:1"),
        (NID_key_usage, "critical,keyCertSign,cRLSign"),
        (NID_subject_key_identifier, "hash"),
      ])
    let ranges = privateAddresses + Set(addresses).map(alone).sorted()
    let constraints =
      names.map { "permitted;DNS:\($0)" } + ranges.prefix(200).map { "permitted;IP:\($0)" }
    let issuer = try Certificate(
      title + ", issuer", days: days, key: key, issuer: root, issuerKey: rootKey,
      [
        (NID_basic_constraints, "critical,CA:TRUE,pathlen:0"),
        (NID_key_usage, "critical,keyCertSign,cRLSign"),
        (NID_ext_key_usage, "serverAuth"),
        (NID_subject_key_identifier, "hash"),
        (NID_authority_key_identifier, "keyid:always"),
        (NID_name_constraints, "critical," + constraints.joined(separator: ",")),
      ])
    return Pair(root: root, issuer: issuer, key: key)
  }

  /// A range with one address.
  private static func alone(_ address: IPAddress) -> String {
    let mask =
      address.isVersion4
      ? "255.255.255.255" : [String](repeating: "ffff", count: 8).joined(separator: ":")
    return "\(address)/\(mask)"
  }

  /// The root certificate, and the issuer with its key.
  private struct Pair {
    let root: Certificate
    let issuer: Certificate
    let key: PrivateKey

    init(root: Certificate, issuer: Certificate, key: PrivateKey) {
      (self.root, self.issuer, self.key) = (root, issuer, key)
    }

    /// Reads it; nil if the text is damaged.
    init?(_ text: String) {
      let certificates = Certificate.all(in: text)
      guard certificates.count == 2, let key = PrivateKey(text),
        X509_check_private_key(certificates[0].pointer, key.pointer) == 1,
        X509_check_issued(certificates[1].pointer, certificates[0].pointer) == X509_V_OK
      else { return nil }
      (issuer, root, self.key) = (certificates[0], certificates[1], key)
    }

    func text() throws(SystemError) -> String {
      try key.text() + issuer.text() + root.text()
    }

    /// Whether it permits these names for as long as a server's certificate can be valid.
    func isFit(for names: [String]) -> Bool {
      var end = time(nil) + serverDays * 86_400
      return X509_cmp_time(X509_get0_notAfter(issuer.pointer), &end) > 0 && permits(names)
    }

    func permits(_ hosts: [String]) -> Bool {
      guard let sample = try? issue(hosts, days: 1, for: key) else { return false }
      return cc_permits(issuer.pointer, sample.pointer) != 0
    }

    func issue(
      _ hosts: [String], days: Int, for serverKey: PrivateKey
    ) throws(SystemError) -> Certificate {
      let alternatives = hosts.map { (IPAddress($0) == nil ? "DNS:" : "IP:") + $0 }
      return try Certificate(
        hosts.first ?? "localhost", days: days, key: serverKey, issuer: issuer, issuerKey: key,
        [
          (NID_basic_constraints, "critical,CA:FALSE"),
          (NID_key_usage, "critical,digitalSignature"),
          (NID_ext_key_usage, "serverAuth"),
          (NID_subject_key_identifier, "hash"),
          (NID_authority_key_identifier, "keyid:always"),
          (NID_subject_alt_name, alternatives.joined(separator: ",")),
        ])
    }
  }
}
