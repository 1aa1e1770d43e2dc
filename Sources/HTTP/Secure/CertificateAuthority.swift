internal import CCrypto
internal import Glibc
package import Posix

/// A certificate authority of one node, which phones can be told to trust.
///
/// Its certificate is constrained to the names of this machine, the addresses that it has at that time, and
/// private ones: whoever gets hold of its key can impersonate no other site to those phones. It is kept in a
/// folder that only its owner can read.
package final class CertificateAuthority: @unchecked Sendable {
  // What iOS accepts at most for a server.
  private static let serverDays = 820
  private static let days = 3650
  // Phones that trust it must not lose it within the life of a server's certificate.
  private static let leastDays = serverDays
  private static let privateAddresses = [
    "127.0.0.0/255.0.0.0", "10.0.0.0/255.0.0.0", "172.16.0.0/255.240.0.0",
    "192.168.0.0/255.255.0.0", "169.254.0.0/255.255.0.0",
    "0:0:0:0:0:0:0:1/ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff",
    "fc00:0:0:0:0:0:0:0/fe00:0:0:0:0:0:0:0", "fe80:0:0:0:0:0:0:0/ffc0:0:0:0:0:0:0:0",
  ]

  /// The certificate in PEM, for phones to trust.
  package let certificate: String
  /// Whether it is new, so that no phone trusts it yet.
  package let isNew: Bool
  private let own: OpaquePointer
  private let key: OpaquePointer
  private let names: [String]

  /// Opens the authority in a folder; creates it if there is none, or if the present one ends soon or may not
  /// vouch for one of these host names.
  package init(
    folder: String, names: [String], addresses: [IPAddress] = []
  ) throws(SystemError) {
    self.names = names
    let (path, keyPath) = (folder + "/authority.pem", folder + "/authority-key.pem")
    if let saved = Self.saved(path, keyPath, names) {
      (own, key, isNew) = (saved.own, saved.key, false)
      certificate = try PEM.text(saved.own, path)
      return
    }
    guard let key = cc_new_key() else { throw Self.fault(path) }
    let title = "Syrinx on \(names.first ?? "this machine")"
    let constraints =
      names.filter { IPAddress($0) == nil }.map { "permitted;DNS:\($0)" }
      + (Self.privateAddresses + addresses.map(Self.alone)).map { "permitted;IP:\($0)" }
    let own = try Self.signed(
      title, path, days: Self.days, key: key, issuer: nil, issuerKey: key,
      [
        (NID_basic_constraints, "critical,CA:TRUE,pathlen:0"),
        (NID_key_usage, "critical,keyCertSign,cRLSign"),
        (NID_subject_key_identifier, "hash"),
        (NID_name_constraints, "critical," + constraints.joined(separator: ",")),
      ])
    (self.own, self.key, isNew) = (own, key, true)
    certificate = try PEM.text(own, path)
    try Files.makeFolder(folder)
    guard chmod(folder, 0o700) == 0 else { throw SystemError(folder) }
    // The key first: a certificate without its key is replaced.
    try Self.write(try PEM.text(key: key, keyPath), to: keyPath)
    try Self.write(certificate, to: path)
  }

  deinit {
    X509_free(own)
    EVP_PKEY_free(key)
  }

  /// Returns a certificate for the host names, and for those of the addresses that it may vouch for.
  ///
  /// Its key is in memory only.
  package func identity(addresses: [IPAddress]) throws(SystemError) -> TLSIdentity {
    try identity(addresses: addresses, names: names)
  }

  func identity(addresses: [IPAddress], names: [String]) throws(SystemError) -> TLSIdentity {
    let path = "the certificate"
    guard let key = cc_new_key() else { throw Self.fault(path) }
    defer { EVP_PKEY_free(key) }
    func issue(_ addresses: [IPAddress]) throws(SystemError) -> OpaquePointer {
      return try Self.signed(
        names.first ?? "localhost", path, days: Self.serverDays, key: key, issuer: own,
        issuerKey: self.key,
        [
          (NID_basic_constraints, "critical,CA:FALSE"),
          (NID_key_usage, "critical,digitalSignature"),
          (NID_ext_key_usage, "serverAuth"),
          (NID_subject_key_identifier, "hash"),
          (NID_authority_key_identifier, "keyid:always"),
          (NID_subject_alt_name, Self.alternatives(names + addresses.map { "\($0)" })),
        ])
    }
    var allowed: [IPAddress] = []
    for address in Set(addresses) {
      guard let alone = try? issue([address]) else { continue }
      if cc_permits(own, alone) != 0 { allowed.append(address) }
      X509_free(alone)
    }
    let server = try issue(allowed.sorted { "\($0)" < "\($1)" })
    defer { X509_free(server) }
    return TLSIdentity(
      chain: try PEM.text(server, path) + certificate, key: try PEM.text(key: key, path))
  }

  // MARK: - Files

  /// The saved authority, if it can still vouch for these names.
  private static func saved(
    _ path: String, _ keyPath: String, _ names: [String]
  ) -> (own: OpaquePointer, key: OpaquePointer)? {
    guard let own = Files.read(path).flatMap(PEM.certificate),
      let key = Files.read(keyPath).flatMap(PEM.key)
    else { return nil }
    var end = time(nil) + leastDays * 86_400
    var isFit =
      X509_check_private_key(own, key) == 1
      && X509_cmp_time(X509_get0_notAfter(own), &end) > 0
    if isFit {
      let sample = try? signed(
        "sample", path, days: 1, key: key, issuer: own, issuerKey: key,
        [(NID_subject_alt_name, alternatives(names))])
      isFit = sample.map { cc_permits(own, $0) != 0 } ?? false
      X509_free(sample)
    }
    if isFit { return (own, key) }
    X509_free(own)
    EVP_PKEY_free(key)
    return nil
  }

  private static func write(_ text: String, to path: String) throws(SystemError) {
    unlink(path)
    let file = try Descriptor(creating: path, orThrow: path)
    try file.write(Array(text.utf8), action: path)
    guard fsync(file.number) == 0 else { throw SystemError(path) }
  }

  // MARK: - Certificates

  /// A range with one address.
  private static func alone(_ address: IPAddress) -> String {
    let mask =
      address.isVersion4
      ? "255.255.255.255" : [String](repeating: "ffff", count: 8).joined(separator: ":")
    return "\(address)/\(mask)"
  }

  private static func alternatives(_ hosts: [String]) -> String {
    hosts.map { (IPAddress($0) == nil ? "DNS:" : "IP:") + $0 }.joined(separator: ",")
  }

  private static func fault(_ path: String) -> SystemError { SystemError(path, code: ENOMEM) }

  /// A certificate that is valid from a day ago, as clocks of machines without a battery are slow.
  private static func signed(
    _ name: String, _ path: String, days: Int, key: OpaquePointer, issuer: OpaquePointer?,
    issuerKey: OpaquePointer, _ extensions: [(kind: Int32, text: String)]
  ) throws(SystemError) -> OpaquePointer {
    guard let new = X509_new() else { throw fault(path) }
    let subject = X509_get_subject_name(new)
    let title = Array(name.utf8.prefix(64))
    let isMade =
      X509_set_version(new, 2) == 1
      && ASN1_INTEGER_set_uint64(X509_get_serialNumber(new), .random(in: 1 ... .max >> 1)) == 1
      && X509_gmtime_adj(X509_getm_notBefore(new), -86_400) != nil
      && X509_time_adj_ex(X509_getm_notAfter(new), Int32(days), 0, nil) != nil
      && X509_set_pubkey(new, key) == 1
      && X509_NAME_add_entry_by_txt(
        subject, "CN", MBSTRING_UTF8, title, Int32(title.count), -1, 0) == 1
      && X509_set_issuer_name(new, issuer.map { X509_get_subject_name($0) } ?? subject) == 1
      && extensions.allSatisfy { cc_extend(new, issuer ?? new, $0.kind, $0.text) == 1 }
      && X509_sign(new, issuerKey, EVP_sha256()) > 0
    guard isMade else {
      X509_free(new)
      throw fault(path)
    }
    return new
  }
}

/// Certificates and keys as text.
private enum PEM {
  static func certificate(_ text: String) -> OpaquePointer? {
    reading(text) { PEM_read_bio_X509($0, nil, nil, nil) }
  }

  static func key(_ text: String) -> OpaquePointer? {
    reading(text) { PEM_read_bio_PrivateKey($0, nil, nil, nil) }
  }

  static func text(_ certificate: OpaquePointer, _ path: String) throws(SystemError) -> String {
    try written(path) { PEM_write_bio_X509($0, certificate) }
  }

  static func text(key: OpaquePointer, _ path: String) throws(SystemError) -> String {
    try written(path) { PEM_write_bio_PrivateKey($0, key, nil, nil, 0, nil, nil) }
  }

  private static func reading(
    _ text: String, _ body: (OpaquePointer?) -> OpaquePointer?
  ) -> OpaquePointer? {
    Array(text.utf8).withUnsafeBytes { bytes in
      let stream = BIO_new_mem_buf(bytes.baseAddress, Int32(bytes.count))
      defer { BIO_free(stream) }
      return body(stream)
    }
  }

  private static func written(
    _ path: String, _ body: (OpaquePointer?) -> Int32
  ) throws(SystemError) -> String {
    let stream = BIO_new(BIO_s_mem())
    defer { BIO_free(stream) }
    guard body(stream) == 1 else { throw SystemError(path, code: ENOMEM) }
    var bytes = [UInt8](repeating: 0, count: 8192)
    let count = BIO_read(stream, &bytes, Int32(bytes.count))
    return String(decoding: bytes.prefix(Int(max(0, count))), as: UTF8.self)
  }
}
