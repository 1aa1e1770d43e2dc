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

  private func authority(_ names: [String] = ["localhost", "rack.local"]) throws
    -> CertificateAuthority
  {
    try CertificateAuthority(folder: path, names: names)
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
    X509_STORE_CTX_init(context, store, sent[0], nil)
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
    let authority = try CertificateAuthority(
      folder: path, names: ["localhost", "rack.local"],
      addresses: ["203.0.113.5", "2001:db8::7"].compactMap { IPAddress($0) })
    let hosts = [
      "192.168.7.9", "10.1.2.3", "fe80::1", "127.0.0.1", "203.0.113.5", "2001:db8::7", "8.8.8.8",
    ]
    let identity = try authority.identity(addresses: hosts.compactMap { IPAddress($0) })
    func result(_ host: String) -> Int32 {
      Self.verify(identity.chain, trusting: authority.certificate, host: host)
    }
    for host in hosts.dropLast() + ["localhost", "rack.local"] {
      #expect(result(host) == X509_V_OK, "\(host)")
    }
    #expect(result("8.8.8.8") == X509_V_ERR_IP_ADDRESS_MISMATCH)
    #expect(result("bank.example") == X509_V_ERR_HOSTNAME_MISMATCH)
  }

  @Test func `its stolen key is worth nothing for other sites`() throws {
    let own = try authority()
    let saved = try CertificateAuthority(folder: path, names: ["localhost"])
    // As a thief would: the same key, for a name that the authority may not vouch for.
    let thief = try saved.identity(addresses: [], names: ["bank.example"])
    #expect(
      Self.verify(thief.chain, trusting: own.certificate, host: "bank.example")
        == X509_V_ERR_PERMITTED_VIOLATION)
  }

  @Test func `it is kept where only its owner reads it, and stays the same`() throws {
    let first = try authority()
    #expect(first.isNew)
    func mode(_ path: String) throws -> Int? {
      try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
    }
    #expect(try mode(path) == 0o700 && mode(path + "/authority-key.pem") == 0o600)
    let second = try authority()
    #expect(!second.isNew && second.certificate == first.certificate)
    // Fewer names are no reason for phones to trust another one.
    #expect(try !authority(["localhost"]).isNew)
  }

  @Test(arguments: ["authority.pem", "authority-key.pem"])
  func `it is replaced if a name is missing, or a file`(file: String) throws {
    let first = try authority()
    #expect(try authority(["localhost", "other.local"]).isNew)
    try Data("damaged".utf8).write(to: URL(fileURLWithPath: "\(path)/\(file)"))
    let third = try authority()
    #expect(third.isNew && third.certificate != first.certificate)
    #expect(try !authority().isNew)
  }
}
