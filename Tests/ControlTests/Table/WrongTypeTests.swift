import OSC
import TestSupport
import Testing

/// Errors for arguments that an address does not accept.
@Suite struct WrongTypeTests {
  private func message(_ path: String, _ arguments: Argument...) -> String? {
    Desk().give([UInt8](address: path, arguments)).first?.arguments.last?.text
  }

  @Test func `the error has the range, and quotes the arguments`() {
    #expect(
      message("/pitch/semitones", .string("high"))
        == "/pitch/semitones: got \"high\"; expected one number (-24 to 24 semitones), or none to "
        + "query")
    #expect(message("/mute", .string("on"))?.hasPrefix("/mute: got \"on\"; ") == true)
    #expect(
      message("/live/gain", .float(1.5), .bool(true))?.hasPrefix("/live/gain: got 1.5 T; ") == true)
    #expect(message("/live/gain", .blob([1]))?.hasPrefix("/live/gain: got (b); ") == true)
  }

  @Test func `long arguments are truncated`() {
    let text = String(repeating: "high ", count: 1000)
    #expect(message("/live/gain", .string(text))?.utf8.count ?? .max < 200)
    let many = Desk().give(
      [UInt8](address: "/live/gain", Array(repeating: .string(text), count: 12)))
    let answer = many.first?.arguments.last?.text ?? ""
    #expect(answer.contains(" … (12 arguments); ") && answer.utf8.count < 400)
  }
}
