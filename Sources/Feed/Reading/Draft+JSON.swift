internal import HTTP
package import JSON

extension Draft {
  /// The limits of the JSON of a draft, which has few members.
  ///
  /// Apps may add some of their own.
  package static let limits = JSON.Limits(values: 1000)

  /// The JSON body of the request that posts the draft: fields for all boards of this format, and
  /// fields for Syrinx boards only.
  package var json: String {
    var json = JSONText()
    json.begin("{")
    // Boards differ in which one they read.
    json.add("username", name)
    json.add("name", name)
    json.add("message", message)
    json.add("id", id)
    json.add("secret", secret)
    if let audio { json.add("audio", Base64.text(of: audio)) } else { json.addNull("audio") }
    json.end("}")
    return json.text
  }

  /// Parses a posted draft.
  ///
  /// A missing ID or secret gets a random one.
  ///
  /// Throws a fault with one line if it is malformed.
  package init(posted json: JSON) throws(BoardFault) {
    guard case .object = json.content else {
      throw BoardFault(.wrong, "expected an object with name, message and audio")
    }
    func text(_ names: String...) throws(BoardFault) -> String? {
      for name in names {
        guard let value = json[name] else { continue }
        if case .null = value.content { continue }
        guard let text = value.text else {
          throw BoardFault(.wrong, "\(name) must be a string; got \(value.kind)")
        }
        return text
      }
      return nil
    }
    let name = try text("username", "name") ?? ""
    let message = try text("message") ?? ""
    func parsed(
      _ name: String, _ expected: String, _ parse: (String) -> String?
    ) throws(BoardFault) -> String? {
      guard let given = try text(name), !given.isEmpty else { return nil }
      if let value = parse(given) { return value }
      throw BoardFault(.wrong, "\(name) must \(expected)")
    }
    let id = try parsed("id", "be a UUID of 36 characters", PostID.plain)
    let secret = try parsed("secret", "have 16 to 128 characters without blanks") {
      PostID.isSecret($0) ? $0 : nil
    }
    var audio: [UInt8]?
    if let given = BoardRow.sound(try text("audio")) {
      guard let bytes = Base64.bytes(of: given) else {
        throw BoardFault(.wrong, "audio must be a sound file in Base64")
      }
      audio = bytes
    }
    self.init(
      id: id ?? PostID.random(), secret: secret ?? PostID.randomSecret(), name: name,
      message: message, audio: audio)
  }
}
