internal import CCrypto

/// A server's certificate for TLS with its private key, which is in memory only.
package final class TLSIdentity: @unchecked Sendable {
  /// The names and addresses for which the certificate is valid.
  package let hosts: Set<String>
  /// The certificate and that of its issuer, in PEM.
  let chain: String
  let settings: OpaquePointer

  init(_ settings: OpaquePointer, hosts: Set<String>, chain: String) {
    (self.settings, self.hosts, self.chain) = (settings, hosts, chain)
  }

  deinit { SSL_CTX_free(settings) }
}
