internal import CCrypto
internal import Glibc
internal import Posix

/// An X.509 certificate.
final class Certificate {
  let pointer: OpaquePointer

  private init(_ pointer: OpaquePointer) { self.pointer = pointer }

  /// Signs a new certificate for a key; by itself without an issuer.
  ///
  /// It is valid from a day ago: clocks of machines without a battery are slow.
  init(
    _ name: String, days: Int, key: PrivateKey, issuer: Certificate?, issuerKey: PrivateKey,
    _ extensions: [(kind: Int32, text: String)]
  ) throws(SystemError) {
    guard let new = X509_new() else { throw CryptoFault.error }
    let subject = X509_get_subject_name(new)
    let title = Array(name.utf8.prefix(64))
    let isMade =
      X509_set_version(new, 2) == 1
      && ASN1_INTEGER_set_uint64(X509_get_serialNumber(new), .random(in: 1 ... .max >> 1)) == 1
      && X509_gmtime_adj(X509_getm_notBefore(new), -86_400) != nil
      && X509_time_adj_ex(X509_getm_notAfter(new), Int32(days), 0, nil) != nil
      && X509_set_pubkey(new, key.pointer) == 1
      && X509_NAME_add_entry_by_txt(
        subject, "CN", MBSTRING_UTF8, title, Int32(title.count), -1, 0) == 1
      && X509_set_issuer_name(new, issuer.map { X509_get_subject_name($0.pointer) } ?? subject) == 1
      && extensions.allSatisfy { cc_extend(new, issuer?.pointer ?? new, $0.kind, $0.text) == 1 }
      && X509_sign(new, issuerKey.pointer, EVP_sha256()) > 0
    guard isMade else {
      X509_free(new)
      throw CryptoFault.error
    }
    pointer = new
  }

  deinit { X509_free(pointer) }

  /// All certificates in a text, in order.
  static func all(in text: String) -> [Certificate] {
    PEM.reading(text) { stream in
      var all: [Certificate] = []
      while let next = PEM_read_bio_X509(stream, nil, nil, nil) { all.append(Certificate(next)) }
      ERR_clear_error()
      return all
    }
  }

  func text() throws(SystemError) -> String {
    try PEM.written { PEM_write_bio_X509($0, pointer) }
  }

  /// The SHA-256 fingerprint as phones show it.
  var fingerprint: String {
    var digest = [UInt8](repeating: 0, count: Int(EVP_MAX_MD_SIZE))
    var count: UInt32 = 0
    X509_digest(pointer, EVP_sha256(), &digest, &count)
    return digest.prefix(Int(count)).map { Hexadecimal.text(of: [$0]).uppercased() }
      .joined(separator: ":")
  }
}

/// A private key.
final class PrivateKey {
  let pointer: OpaquePointer

  /// Makes a new key.
  init() throws(SystemError) {
    guard let new = cc_new_key() else { throw CryptoFault.error }
    pointer = new
  }

  /// Reads a key; nil if the text has none.
  init?(_ text: String) {
    guard let found = PEM.reading(text, { PEM_read_bio_PrivateKey($0, nil, nil, nil) }) else {
      ERR_clear_error()
      return nil
    }
    pointer = found
  }

  deinit { EVP_PKEY_free(pointer) }

  func text() throws(SystemError) -> String {
    try PEM.written { PEM_write_bio_PrivateKey($0, pointer, nil, nil, 0, nil, nil) }
  }
}

/// Certificates and keys as text.
private enum PEM {
  static func reading<Value>(_ text: String, _ body: (OpaquePointer?) -> Value) -> Value {
    Array(text.utf8).withUnsafeBytes { bytes in
      let stream = BIO_new_mem_buf(bytes.baseAddress, Int32(bytes.count))
      defer { BIO_free(stream) }
      return body(stream)
    }
  }

  static func written(_ body: (OpaquePointer?) -> Int32) throws(SystemError) -> String {
    let stream = BIO_new(BIO_s_mem())
    defer { BIO_free(stream) }
    guard body(stream) == 1 else { throw CryptoFault.error }
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 4096)
    while case let count = BIO_read(stream, &buffer, Int32(buffer.count)), count > 0 {
      bytes += buffer[..<Int(count)]
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}

/// The failure of libcrypto.
enum CryptoFault {
  /// An error with the library's reason.
  static var error: SystemError {
    let code = ERR_get_error()
    ERR_clear_error()
    let reason = ERR_reason_error_string(code).map { String(cString: $0) } ?? "unknown reason"
    return SystemError("can't make a certificate (\(reason))", code: EINVAL)
  }
}
