import CCrypto
import Foundation
import Posix
import TestSupport
import Testing

@testable import HTTP

/// The certificates that a node issues for itself.
@Suite struct CertificateAuthorityTests {
  private let folder: TemporaryFolder
  private let path: String

  init() throws {
    folder = try TemporaryFolder()
    path = folder.path("tls")
  }

  private func authority(
    _ hosts: [String] = ["localhost", "rack.local"], addresses: [String] = []
  ) throws -> CertificateAuthority {
    try CertificateAuthority(
      folder: path, hosts: hosts, addresses: addresses.compactMap { IPAddress($0) })
  }

  private static func certificates(_ chain: String) -> [OpaquePointer] {
    let bytes = Array(chain.utf8)
    return bytes.withUnsafeBytes { bytes in
      let stream = BIO_new_mem_buf(bytes.baseAddress, Int32(bytes.count))
      defer { BIO_free(stream) }
      var all: [OpaquePointer] = []
      while let next = PEM_read_bio_X509(stream, nil, nil, nil) { all.append(next) }
      return all
    }
  }

  /// The result of OpenSSL's verification of a chain for a host, by a client that trusts an authority.
  private static func verify(_ chain: String, trusting authority: String, host: String) -> Int32 {
    let store = X509_STORE_new()
    let context = X509_STORE_CTX_new()
    let (sent, trusted) = (certificates(chain), certificates(authority))
    defer {
      X509_STORE_CTX_free(context)
      X509_STORE_free(store)
      for certificate in sent + trusted { X509_free(certificate) }
    }
    X509_STORE_add_cert(store, trusted[0])
    let others = OPENSSL_sk_new_null()
    defer { OPENSSL_sk_free(others) }
    for certificate in sent.dropFirst() {
      OPENSSL_sk_push(others, UnsafeRawPointer(certificate))
    }
    X509_STORE_CTX_init(context, store, sent[0], others)
    let parameters = X509_STORE_CTX_get0_param(context)
    X509_VERIFY_PARAM_set_purpose(parameters, X509_PURPOSE_SSL_SERVER)
    if IPAddress(host) == nil {
      X509_VERIFY_PARAM_set1_host(parameters, host, host.utf8.count)
    } else {
      X509_VERIFY_PARAM_set1_ip_asc(parameters, host)
    }
    X509_verify_cert(context)
    return X509_STORE_CTX_get_error(context)
  }

  @Test func `a client that trusts it accepts its names and private addresses, and no others`()
    throws
  {
    let own = ["203.0.113.5", "2001:db8::7"]
    // The second one was given as a name.
    let authority = try authority(
      ["localhost", "rack.local", "198.51.100.9"], addresses: own)
    let hosts = own + ["198.51.100.9", "192.168.7.9", "10.1.2.3", "127.0.0.1", "8.8.8.8"]
    let identity = try authority.identity(addresses: hosts.compactMap { IPAddress($0) })
    func result(_ host: String) -> Int32 {
      Self.verify(identity.chain, trusting: authority.certificate, host: host)
    }
    let valid = hosts.dropLast() + ["localhost", "rack.local"]
    for host in valid { #expect(result(host) == X509_V_OK, "\(host)") }
    #expect(identity.hosts == Set(valid))
    #expect(result("8.8.8.8") == X509_V_ERR_IP_ADDRESS_MISMATCH)
    #expect(result("bank.example") == X509_V_ERR_HOSTNAME_MISMATCH)
  }

  @Test(arguments: ["bank.example", "rack", "box.rack"])
  func `clients reject certificates for other sites that are issued with its stolen key`(
    site: String
  ) throws {
    // A machine named like a top-level domain: its name of one part is left out.
    let authority = try authority(["localhost", "rack", "rack.local"])
    let thief = try authority.identity(addresses: [], names: [site])
    #expect(
      Self.verify(thief.chain, trusting: authority.certificate, host: site)
        == X509_V_ERR_PERMITTED_VIOLATION)
  }

  @Test func `the key of the root certificate is nowhere`() throws {
    let authority = try authority()
    let saved = try String(contentsOfFile: path + "/authority.pem", encoding: .utf8)
    #expect(saved.components(separatedBy: "PRIVATE KEY").count == 3)
    let key = try #require(PrivateKey(saved))
    let root = Self.certificates(authority.certificate)[0]
    defer { X509_free(root) }
    #expect(X509_check_private_key(root, key.pointer) == 0)
  }

  @Test func `it is kept where only its owner reads it, and stays the same`() throws {
    let first = try authority()
    #expect(first.isNew && first.fingerprint.count == 32 * 3 - 1)
    func mode(_ path: String) throws -> Int? {
      try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
    }
    #expect(try mode(path) == 0o700 && mode(path + "/authority.pem") == 0o600)
    let second = try authority()
    #expect(!second.isNew && second.fingerprint == first.fingerprint)
    // Fewer names are no reason for phones to install another one.
    #expect(try !authority(["localhost"]).isNew)
  }

  @Test func `it is replaced if a name is missing, or the file is damaged, and the former is kept`()
    throws
  {
    let first = try authority()
    let second = try authority(["localhost", "other.local"])
    #expect(second.isNew && second.fingerprint != first.fingerprint)
    let former = try String(contentsOfFile: path + "/authority.pem.old", encoding: .utf8)
    #expect(former.contains(first.certificate))
    try Data("damaged".utf8).write(to: URL(fileURLWithPath: path + "/authority.pem"))
    #expect(try authority().isNew)
    #expect(try !authority().isNew)
  }

  @Test func `it is not replaced if it can't be read`() throws {
    let file = path + "/authority.pem"
    try FileManager.default.createDirectory(atPath: file, withIntermediateDirectories: true)
    #expect(throws: SystemError.self) { try authority() }
    #expect(FileManager.default.fileExists(atPath: file))
  }

  @Test func `two nodes that start at once have the same one`() async throws {
    let path = path
    let prints = try await withThrowingTaskGroup(of: String.self) { group in
      for _ in 0..<4 {
        group.addTask { try CertificateAuthority(folder: path, hosts: ["localhost"]).fingerprint }
      }
      return try await group.reduce(into: Set<String>()) { $0.insert($1) }
    }
    #expect(prints.count == 1)
  }
}
