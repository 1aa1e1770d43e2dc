import JSON
import Testing

@Suite struct JSONTests {
  private func read(_ text: String) throws(JSON.Fault) -> JSON { try JSON(Array(text.utf8)) }

  private func fault(_ bytes: [UInt8]) -> JSON.Fault? {
    do throws(JSON.Fault) {
      _ = try JSON(bytes)
      return nil
    } catch {
      return error
    }
  }

  @Test func `parses values with order and line numbers`() throws {
    let file = try read("\u{FEFF}{\r\n \"b\": [1, -2.5e1,\n true, null],\n\t\"a\": \"x\"\n}\n")
    guard case .object(let members) = file.content, case .list(let list) = members[0].value.content
    else {
      Issue.record("no object with a list")
      return
    }
    #expect(members.map(\.name) == ["b", "a"])
    #expect(members.map(\.line) == [2, 4])
    #expect(list.map(\.line) == [2, 2, 3, 3])
    #expect(list.map(\.kind) == ["a number", "a number", "true", "null"])
    guard case .number(let number) = list[1].content else {
      Issue.record("no number")
      return
    }
    #expect(number == -25)
  }

  @Test(arguments: [
    (#""""#, ""), (#""a\"\\\/\b\f\n\r\t""#, "a\"\\/\u{8}\u{C}\n\r\t"), (#""\u00e9é""#, "éé"),
    (#""\ud834\udd1E""#, "𝄞"),
  ])
  func `parses escaped strings`(written: String, text: String) throws {
    guard case .text(let read) = try read(written).content else {
      Issue.record("no text")
      return
    }
    #expect(read == text)
  }

  @Test(arguments: ["", "plain", "quotes \" and \\", "a\nb\t\u{1}\u{1F}", "é 𝄞 \u{7F}"])
  func `strings survive a round trip`(text: String) throws {
    guard case .text(let again) = try read(JSON.written(text)).content else {
      Issue.record("no text")
      return
    }
    #expect(again == text)
  }

  @Test(arguments: [
    Float(0), 1, -24, 0.35, 0.001, 1.1, 20000, 1e-9, 123_456.79, -0.0,
    .greatestFiniteMagnitude, .leastNonzeroMagnitude,
  ])
  func `numbers are written short and round-trip exactly`(number: Float) throws {
    let text = JSON.written(number)
    #expect(text.utf8.count <= 15)
    guard case .number(let again) = try read(text).content else {
      Issue.record("no number")
      return
    }
    #expect(Float(again) == number)
  }

  @Test(arguments: [
    ("", 1, "the file is empty"), (" \n \n", 3, "the file is empty"),
    ("{", 1, "expected a quoted name; got the end of the file"),
    ("{\n\n", 3, "expected a quoted name"),
    ("{\"a\": 1\n", 2, "unexpected end of the file in the object that starts on line 1"),
    ("{\"a\": 1,\n}", 2, "trailing comma"),
    ("{\"a\": 1\n \"b\": 2}", 2, "expected a comma before '\"'"),
    ("{\"a\" 1}", 1, "expected a colon after a; got '1'"),
    ("{\"a\": }", 1, "expected a value; got '}'"),
    ("{\"a\":\n\n", 3, "expected a value; got the end of the file"),
    ("{a: 1}", 1, "expected a quoted name; got 'a'"),
    ("{'a': 1}", 1, "expected a quoted name"),
    ("{\"a\": 1,\n\"b\": 2,\n\"a\": 3}", 3, "duplicate name a, already on line 1"),
    ("{\"a\": 1}\n{}", 2, "expected the end of the file; got '{'"),
    ("[1, 2", 1, "unexpected end of the file in the list that starts on line 1"),
    ("[1 2]", 1, "expected a comma before '2'"), ("[1,]", 1, "trailing comma"),
    ("[\n\"a\n\"]", 2, "missing closing quote"), ("\"a", 1, "missing closing quote"),
    ("\"a\u{1}\"", 1, "control character 1"), ("\"\\q\"", 1, "invalid escape"),
    ("\"\\", 1, "invalid escape"), ("\"\\u12\"", 1, "four hexadecimal digits"),
    ("\"\\u12g4\"", 1, "four hexadecimal digits"), ("\"\\u+123\"", 1, "four hexadecimal digits"),
    ("\"\\ud834\"", 1, "unpaired surrogate"), ("\"\\ud834\\u0041\"", 1, "unpaired surrogate"),
    ("\"\\udd1e\"", 1, "unpaired surrogate"),
    ("01", 1, "01 is not a JSON number"), ("-", 1, "- is not a JSON number"),
    ("1.", 1, "1. is not a JSON number"),
    (".5", 1, "expected a value; got '.'"), ("+1", 1, "expected a value; got '+'"),
    ("1e", 1, "1e is not a JSON number"), ("1e999", 1, "1e999 is not a JSON number"),
    ("0x10", 1, "expected the end of the file; got 'x'"),
    ("NaN", 1, "expected a value; got 'N'"), ("Infinity", 1, "expected a value"),
    ("tru", 1, "expected a value; got 't'"), ("// no\n1", 1, "expected a value; got '/'"),
    ("\u{A0}1", 1, "got the byte 0xc2"),
  ])
  func `reports errors with their line`(text: String, line: Int, message: String) throws {
    let fault = try #require(self.fault(Array(text.utf8)))
    #expect(fault.line == line, "\(fault)")
    #expect(fault.description.contains(message), "\(fault)")
  }

  @Test func `reports invalid UTF-8 with its line`() throws {
    let fault = try #require(
      self.fault(Array("{\n\"a\": \"".utf8) + [0xFF, 0xFE] + Array("\"}".utf8)))
    #expect(fault == JSON.Fault(2, "a string is not UTF-8"))
  }

  @Test(arguments: ["[", "{\"a\":"])
  func `deep nesting doesn't overflow the stack`(opening: String) throws {
    let fault = try #require(self.fault(Array(String(repeating: opening, count: 40_000).utf8)))
    #expect(fault.description == "nested more than 16 levels deep")
    #expect(throws: Never.self) {
      try read(String(repeating: "[", count: 16) + String(repeating: "]", count: 16))
    }
  }

  @Test func `the number of values is limited, however they are nested`() throws {
    let limits = JSON.Limits(values: 100)
    func fault(_ text: String) -> JSON.Fault? {
      do throws(JSON.Fault) {
        _ = try JSON(Array(text.utf8), within: limits)
        return nil
      } catch {
        return error
      }
    }
    // The list is a value itself.
    for item in ["0", "[]", "{}", "\"\"", "null"] {
      func list(_ count: Int) -> String {
        "[\n" + repeatElement(item, count: count).joined(separator: ",") + "]"
      }
      #expect(fault(list(99)) == nil)
      let expected = JSON.Fault(2, "more than 100 values", isTooLarge: true)
      #expect(fault(list(100)) == expected)
      // The rest isn't read: it may be of any length, and malformed.
      #expect(fault(String(list(100).dropLast()) + ",]]") == expected)
    }
    let members = (0..<50).map { "\"\($0)\": [0]" }.joined(separator: ",")
    #expect(fault("{\(members)}")?.isTooLarge == true)
    #expect(fault("[")?.isTooLarge == false)
  }

  @Test func `a text with escapes anywhere is whole`() throws {
    for text in [#"\nabc"#, #"abc\n"#, #"a\nb\u00e9c"#, #"\n\n"#, "é𝄞"] {
      let value = try read("\"\(text)\"")
      let expected = text.replacing(#"\n"#, with: "\n").replacing(#"\u00e9"#, with: "é")
      #expect(value.text == expected)
    }
  }

  @Test func `no corrupted byte or truncation breaks the parser`() {
    let whole = Array("{\"é\\u00e9\": [1, -2.5e1, true, null, \"\\n\"],\n\"b\": {}}".utf8)
    var broken = 0
    for index in whole.indices {
      if fault(Array(whole[..<index])) != nil { broken += 1 }
      for byte in UInt8.min...UInt8.max {
        var damaged = whole
        damaged[index] = byte
        if let fault = self.fault(damaged) { #expect((1...3).contains(fault.line)) }
      }
    }
    #expect(broken == whole.count)
  }

  @Test func `an object literal leaves out the members without a value`() {
    let inner: JSONText = ["flag": true, "list": [1, 2]]
    let json: JSONText = [
      "text": "a\"b", "number": 1.5, "none": Int?.none, "endless": Double.infinity, "inner": inner,
    ]
    #expect(json.text == #"{"text":"a\"b","number":1.5,"inner":{"flag":true,"list":[1,2]}}"#)
  }
}
