import TestSupport
import Testing

@testable import Pictures

@Suite struct ImageHeaderTests {
  private static let gif = Array("GIF89a".utf8) + [0x40, 0x01, 0xF0, 0x00, 0, 0, 0]

  private static func webp(_ kind: String, _ body: [UInt8]) -> [UInt8] {
    Array("RIFF".utf8) + [0, 0, 0, 0] + Array("WEBP\(kind)".utf8) + [0, 0, 0, 0] + body
      + [UInt8](repeating: 0, count: 16)
  }

  /// A progressive JPEG with other segments before its frame header, as large as a thumbnail.
  private static let jpeg: [UInt8] =
    [0xFF, 0xD8, 0xFF, 0xE1, 0x00, 0x06, 0xFF, 0xC0, 0x00, 0x00]
    + [0xFF, 0xFF, 0xC4, 0x00, 0x03, 0x00, 0xFF, 0xC2, 0x00, 0x11, 8, 0x01, 0x2C, 0x02, 0x58, 3]
    + [UInt8](repeating: 0, count: 9)

  @Test func `kind and size are parsed from the content`() throws {
    let files: [(bytes: [UInt8], kind: ImageKind, width: Int, height: Int)] = [
      (PictureFile.png(width: 30, height: 20), .png, 30, 20),
      (Self.gif, .gif, 320, 240),
      (Self.jpeg, .jpeg, 600, 300),
      (Self.webp("VP8 ", [0, 0, 0, 0x9D, 0x01, 0x2A, 0x58, 0x42, 0x2C, 0x81]), .webp, 600, 300),
      (Self.webp("VP8L", [0x2F, 0x57, 0xC2, 0x4A, 0x00]), .webp, 600, 300),
      (Self.webp("VP8X", [0, 0, 0, 0, 0x57, 0x02, 0, 0x2B, 0x01, 0]), .webp, 600, 300),
    ]
    for file in files {
      let header = try #require(ImageHeader(file.bytes), "\(file.kind)")
      #expect(header.kind == file.kind)
      #expect([header.width, header.height] == [file.width, file.height], "\(file.kind)")
    }
  }

  @Test func `other files, and images without a size, are rejected`() {
    for text in ["", "<!DOCTYPE html><html>", "{\"results\": []}", "GIF88a0000000", "RIFF0000WAVE"]
    {
      #expect(ImageHeader(Array(text.utf8)) == nil, "\(text)")
    }
    // Pixels without a frame header, and a frame without a width.
    #expect(ImageHeader([0xFF, 0xD8, 0xFF, 0xDA, 0, 8, 1, 1, 0, 0, 63, 0]) == nil)
    #expect(
      ImageHeader(Array(Self.jpeg.prefix(23)) + [0, 0] + [UInt8](repeating: 0, count: 9)) == nil)
    #expect(ImageHeader(PictureFile.png(saying: 0, 20)) == nil)
  }

  @Test func `truncated headers are never read beyond their end`() {
    let files = [
      PictureFile.png(width: 3, height: 3), Self.gif, Self.jpeg,
      Self.webp("VP8L", [0x2F, 1, 1, 1]),
    ]
    for file in files {
      for count in 0..<file.count { _ = ImageHeader(Array(file.prefix(count))) }
      #expect(ImageHeader(file) != nil)
    }
  }
}
