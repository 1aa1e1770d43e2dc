internal import CCrypto

/// SHA-1, for the WebSocket handshake only.
///
/// It protects no secrets.
package enum SHA1 {
  /// Returns the 20-byte digest.
  package static func digest(_ bytes: [UInt8]) -> [UInt8] {
    [UInt8](unsafeUninitializedCapacity: 20) { digest, count in
      _ = CCrypto.SHA1(bytes, bytes.count, digest.baseAddress)
      count = 20
    }
  }
}

/// SHA-256, for the content security policy, ETags, and digests of secrets.
package enum SHA256 {
  /// Returns the 32-byte digest.
  package static func digest(_ bytes: [UInt8]) -> [UInt8] {
    [UInt8](unsafeUninitializedCapacity: 32) { digest, count in
      _ = CCrypto.SHA256(bytes, bytes.count, digest.baseAddress)
      count = 32
    }
  }
}
