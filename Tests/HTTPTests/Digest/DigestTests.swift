import HTTP
import Testing

/// Digests and encodings, with the examples of their standards.
@Suite struct DigestTests {
  @Test(arguments: [
    ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
    ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
    (
      "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
      "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
    ),
  ])
  func `SHA-256 matches the examples of its standard`(text: String, digest: String) {
    #expect(Hexadecimal.text(of: SHA256.digest(Array(text.utf8))) == digest)
  }

  @Test(arguments: [
    ("", "da39a3ee5e6b4b0d3255bfef95601890afd80709"),
    ("abc", "a9993e364706816aba3e25717850c26c9cd0d89d"),
    (
      "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
      "84983e441c3bd26ebaae4aa1f95129e5e54670f1"
    ),
  ])
  func `SHA-1 matches the examples of its standard`(text: String, digest: String) {
    #expect(Hexadecimal.text(of: SHA1.digest(Array(text.utf8))) == digest)
  }

  @Test func `both handle all lengths, with one or two final blocks`() {
    // Lengths at which end mark and length just fit, or just don't.
    let long = [55, 56, 63, 64, 119, 120].map { [UInt8](repeating: 0x61, count: $0) }
    #expect(
      long.map { Hexadecimal.text(of: SHA256.digest($0).prefix(4)) } == [
        "9f4390f8", "b35439a4", "7d3e74a0", "ffe054fe", "31eba51c", "2f3d3354",
      ])
  }

  @Test(arguments: [
    ("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foobar", "Zm9vYmFy"),
  ])
  func `Base64 matches the examples of its standard`(text: String, encoded: String) {
    #expect(Base64.text(of: Array(text.utf8)) == encoded)
    #expect(Base64.bytes(of: encoded) == Array(text.utf8))
  }

  @Test(arguments: [
    ("Zm9v\r\nYmFy\n", "foobar"), ("Zm8", "fo"), ("Zg", "f"), ("Zg====\n", "f"), ("\n", ""),
  ])
  func `Base64 is decoded with line ends, and without padding`(encoded: String, text: String) {
    #expect(Base64.bytes(of: encoded) == Array(text.utf8))
  }

  @Test(arguments: [
    "Z", "Zm9vY", "Zm=v", " Zm9v", "    Zm9v", "Zm9v    ", "Zm9v----", "Zm9é", "Zm9v\tYmF", "Zm9-",
  ])
  func `other texts are not Base64`(text: String) {
    #expect(Base64.bytes(of: text) == nil)
  }
}
