internal import HTTP
package import JSON

extension Draft {
  /// The JSON body of the request that posts the draft: the fields that any board of this format
  /// reads, and those that only ours reads.
  package var json: String {
    var json = JSONText()
    json.begin("{")
    // Some boards read the first, others the second.
    json.add("username", name)
    json.add("name", name)
    json.add("message", message)
    json.add("id", id)
    json.add("secret", secret)
    if let audio { json.add("audio", Base64.text(of: audio)) } else { json.addNull("audio") }
    json.end("}")
    return json.text
  }

  /// The draft that somebody posts; what he gave no identifier or secret gets its own.
  ///
  /// Throws one line where it is none.
  package init(posted json: JSON) throws(BoardFault) {
    guard case .object = json.content else {
      throw BoardFault(.wrong, "a post is an object with name, message and audio")
    }
    func text(_ names: String...) throws(BoardFault) -> String? {
      for name in names {
        guard let value = json[name] else { continue }
        if case .null = value.content { continue }
        guard let text = value.text else {
          throw BoardFault(.wrong, "\(name) is a text, not \(value.kind)")
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
        throw BoardFault(.wrong, "id is a UUID of 36 letters")
      }
      id = plain
    }
    var secret = PostID.randomSecret()
    if let given = try text("secret"), !given.isEmpty {
      guard PostID.isSecret(given) else {
        throw BoardFault(.wrong, "secret has 16 to 128 letters, none of them a blank")
      }
      secret = given
    }
    var audio: [UInt8]?
    if let given = BoardRow.sound(try text("audio")) {
      guard let bytes = Base64.bytes(of: given) else {
        throw BoardFault(.wrong, "audio is a sound file in base 64")
      }
      audio = bytes
    }
    self.init(id: id, secret: secret, name: name, message: message, audio: audio)
  }
}
