import Testing

@testable import HTTP

/// The decoder of chunked bodies.
@Suite struct ChunkedBodyTests {
  /// Decodes a text in pieces, and returns its body and the bytes behind it; nil if it is malformed or open.
  private func decoded(_ text: String, pieces: Int = 1_000_000) -> (body: String, rest: String)? {
    var (chunks, body, rest) = (ChunkedBody(), [UInt8](), Array(text.utf8))
    while !rest.isEmpty, !chunks.isWhole {
      let taken = Array(rest.prefix(pieces)).withUnsafeBytes { piece in
        chunks.take(piece) { body += $0 }
      }
      guard let taken else { return nil }
      rest.removeFirst(taken)
    }
    guard chunks.isWhole else { return nil }
    return (String(decoding: body, as: UTF8.self), String(decoding: rest, as: UTF8.self))
  }

  @Test(arguments: [1, 2, 3, 7, 1000])
  func `a body is decoded in pieces of any size`(pieces: Int) {
    let text = "3\r\nabc\r\nA;name=\"x\"\r\n0123456789\r\n0\r\nTrailer: x\r\n\r\nGET /"
    let result = decoded(text, pieces: pieces)
    #expect(result?.body == "abc0123456789" && result?.rest == "GET /")
    #expect(decoded("0\r\n\r\n", pieces: pieces)?.body == "")
    #expect(decoded("00a\r\n0123456789\r\n000\r\n\r\n", pieces: pieces)?.body == "0123456789")
  }

  @Test(arguments: [
    "3\nabc\r\n0\r\n\r\n", "3\r\nabcd\r\n0\r\n\r\n", "3\r\nabc\n0\r\n\r\n", "\r\nabc\r\n0\r\n\r\n",
    "g\r\n", "-3\r\nabc\r\n0\r\n\r\n", "0x3\r\nabc\r\n0\r\n\r\n", " 3\r\nabc\r\n0\r\n\r\n", ";\r\n",
    "3;\0\r\nabc\r\n0\r\n\r\n", "0\r\nT: a\n\r\n", "FFFFFFFFFFFFFFFF\r\nabc", "3\r\nabc\r\n0\r\n",
  ])
  func `a malformed body is refused`(text: String) {
    #expect(decoded(text) == nil)
  }

  @Test func `endless extensions and trailers are refused`() {
    let long = String(repeating: "x", count: 5000)
    #expect(decoded("3;\(long)\r\nabc\r\n0\r\n\r\n") == nil)
    #expect(decoded("0\r\nT: \(long)\r\n\r\n") == nil)
    #expect(decoded("0\r\n" + String(repeating: "T: x\r\n", count: 2000) + "\r\n") == nil)
  }
}
