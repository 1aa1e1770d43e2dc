import OSC
import TestSupport
import Testing

/// What is said of arguments that an address does not take.
@Suite struct WrongTypeTests {
  private func message(_ path: String, _ arguments: Argument...) -> String? {
    Desk().give([UInt8](address: path, arguments)).first?.arguments.last?.text
  }

  @Test func `the refusal tells the range, and quotes what was typed`() {
    #expect(
      message("/pitch/semitones", .string("high"))
        == "/pitch/semitones takes one number from -24 to 24 semitones, or nothing to ask for its "
        + "value; got \"high\"")
    #expect(message("/mute", .string("on"))?.hasSuffix("; got \"on\"") == true)
    #expect(message("/live/gain", .float(1.5), .bool(true))?.hasSuffix("; got 1.5 T") == true)
    #expect(message("/live/gain", .blob([1]))?.hasSuffix("; got (b)") == true)
  }

  @Test func `what is long is cut`() {
    let text = String(repeating: "high ", count: 1000)
    #expect(message("/live/gain", .string(text))?.utf8.count ?? .max < 200)
    let many = Desk().give(
      [UInt8](address: "/live/gain", Array(repeating: .string(text), count: 12)))
    let answer = many.first?.arguments.last?.text ?? ""
    #expect(answer.hasSuffix(" … (12 in all)") && answer.utf8.count < 400)
  }
}
