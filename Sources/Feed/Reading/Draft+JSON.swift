internal import HTTP
package import JSON

extension Draft {
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
    var id = PostID.random()
    if let given = try text("id"), !given.isEmpty {
      guard let plain = PostID.plain(given) else {
        throw BoardFault(.wrong, "id must be a UUID of 36 characters")
      }
      id = plain
    }
    var secret = PostID.randomSecret()
    if let given = try text("secret"), !given.isEmpty {
      guard PostID.isSecret(given) else {
        throw BoardFault(.wrong, "secret must have 16 to 128 characters without blanks")
      }
      secret = given
    }
    var audio: [UInt8]?
    if let given = BoardRow.sound(try text("audio")) {
      guard let bytes = Base64.bytes(of: given) else {
        throw BoardFault(.wrong, "audio must be a sound file in Base64")
      }
      audio = bytes
    }
    self.init(id: id, secret: secret, name: name, message: message, audio: audio)
  }
}
