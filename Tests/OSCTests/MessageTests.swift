internal import CLiblo
import Foundation
import OSC
import Testing

@Suite struct MessageTests {
  static let messages: [(String, [Argument])] = [
    ("/a", []),
    ("/live/gain", [.float(-6)]),
    ("/live/gain", [.double(-6.25)]),
    ("/mute", [.int32(-7)]), ("/mute", [.bool(true)]), ("/mute", [.bool(false)]),
    ("/abc", [.int64(.min), .string("abc"), .string(""), .symbol("four"), .infinitum, .nil]),
    ("/abcd", [.blob([1, 2, 3]), .blob([]), .blob([1, 2, 3, 4]), .string("é ♯")]),
    ("/t", [.timeTag(TimeTag(bits: 0xE3A1_B2C3_8000_0000)), .character(65), .midi(0x0090_4064)]),
    // liblo doesn't support colors: this message must be last, and isn't compared.
    ("/r", [.color(0xFF00_00FF)]),
  ]

  @Test(arguments: messages.indices)
  func `messages survive a round trip`(index: Int) throws {
    let (address, arguments) = Self.messages[index]
    let bytes = [UInt8](address: address, arguments)
    #expect(bytes.count % 4 == 0)
    try bytes.withUnsafeBytes { bytes in
      let message = try Message(bytes)
      #expect(message.addressText == address)
      #expect(message.arguments == arguments)
    }
  }

  @Test(arguments: messages.indices.dropLast())
  func `liblo reads the messages and writes the same bytes`(index: Int) throws {
    let (address, arguments) = Self.messages[index]
    var bytes = [UInt8](address: address, arguments)
    var result: Int32 = 0
    let message = try #require(lo_message_deserialise(&bytes, bytes.count, &result))
    defer { lo_message_free(message) }
    #expect(String(cString: lo_message_get_types(message)) == String(arguments.map(\.tag)))
    var size = 0
    let again = try #require(lo_message_serialise(message, address, nil, &size))
    defer { free(again) }
    #expect(Array(UnsafeRawBufferPointer(start: again, count: size)) == bytes)
  }

  private func onlyNumber(_ argument: Argument) throws -> Double? {
    try [UInt8](address: "/x", [argument]).withUnsafeBytes { try Message($0).onlyNumber }
  }

  @Test func `every numeric type is a number`() throws {
    for argument: Argument in [.int32(3), .int64(3), .float(3), .double(3)] {
      #expect(try onlyNumber(argument) == 3)
      #expect(argument.number == 3)
    }
    #expect(try onlyNumber(.bool(true)) == 1)
    #expect(try onlyNumber(.string("3")) == nil)
  }

  @Test(arguments: [
    ("", MalformedPacket.noAddress),
    ("abc\0", .noAddress),
    ("/ab", .odd(3)),
    ("/abc", .unterminated),
    ("/a\0\0f\0\0\0", .noTags),
    ("/a\0\0,f\0\0", .short),
    ("/a\0\0,s\0\0abcd", .unterminated),
    ("/a\0\0,b\0\0\u{7F}\u{7F}\u{7F}\u{7F}", .short),
    ("/a\0\0,i\0\0\0\0\0\0\0\0\0\0", .excess(4)),
    ("/a\0\0,x\0\0", .unknownTag(0x78)),
    ("/a\0\0,[i\0\0\0\0\0", .unbalanced),
    ("/a\0\0,]\0\0", .unbalanced),
  ])
  func `malformed messages are refused with a reason`(text: String, reason: MalformedPacket) {
    #expect(throws: reason) {
      try Array(text.utf8).withUnsafeBytes { _ = try Message($0) }
    }
  }

  @Test func `invalid UTF-8 is refused, and any language is accepted`() throws {
    let bytes = Array("/a\0\0,s\0\0".utf8) + [0x4B, 0xE4, 0x75, 0x7A, 0, 0, 0, 0]
    #expect(throws: MalformedPacket.notUTF8) {
      try bytes.withUnsafeBytes { _ = try Message($0) }
    }
    for text in ["Käuz", "梟", "🦉"] {
      let bytes = [UInt8](address: "/a", [.string(text), .int32(1)])
      #expect(
        try bytes.withUnsafeBytes { try Message($0).arguments } == [.string(text), .int32(1)])
    }
  }

  @Test func `a message without type tags has no arguments`() throws {
    let count = try Array("/abc\0\0\0\0".utf8).withUnsafeBytes { try Message($0).arguments.count }
    #expect(count == 0)
  }

  @Test func `a corrupted message is refused or parsed without a crash`() {
    var state: UInt64 = 42
    func random(_ below: Int) -> Int {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Int(state >> 33) % below
    }
    for _ in 0..<20_000 {
      let (address, arguments) = Self.messages[random(Self.messages.count)]
      var bytes = [UInt8](address: address, arguments)
      for _ in 0...random(4) { bytes[random(bytes.count)] = UInt8(random(256)) }
      if random(3) == 0 { bytes.removeLast(random(bytes.count)) }
      bytes.withUnsafeBytes { if let message = try? Message($0) { _ = message.arguments } }
    }
  }
}
