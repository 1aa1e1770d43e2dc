/// A server's certificate for TLS and its private key, in PEM.
package struct TLSIdentity: Sendable {
  /// The certificate, followed by that of its issuer.
  let chain: String
  let key: String
}
