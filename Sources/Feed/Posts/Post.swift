internal import HTTP
internal import Library
package import Posix

/// A post of a board: who says what, and since when; its sound is fetched apart.
package struct Post: Equatable, Sendable {
  /// What is known of a post's sound without having it.
  package struct Sound: Equatable, Sendable {
    /// Its length in seconds; 0 where that is not known.
    package var seconds: Double
    /// How many bytes it has.
    package var bytes: Int
    /// The kind of its bytes.
    package var kind: SoundKind

    /// A sound of a length in seconds.
    package init(seconds: Double, bytes: Int, kind: SoundKind) {
      self.seconds = seconds
      self.bytes = bytes
      self.kind = kind
    }
  }

  /// Its number on the board: later posts have greater ones.
  package var number: Int
  /// The identifier that is its own on all boards.
  package var id: String
  /// Who posted it; empty where that was taken away.
  package var name: String
  /// The text.
  package var message: String
  /// The moment at which the board took it.
  package var date: ZonedDate
  /// The sound; nil for none.
  package var sound: Sound?

  /// A post as a board has it.
  package init(
    number: Int, id: String, name: String, message: String, date: ZonedDate, sound: Sound? = nil
  ) {
    self.number = number
    self.id = id
    self.name = name
    self.message = message
    self.date = date
    self.sound = sound
  }
}

/// A post that is to be: with the identifier that makes it safe to send again, and the secret by which
/// its poster can take it back.
package struct Draft: Equatable, Sendable {
  /// The identifier, of the form of a UUID in small letters.
  package var id: String
  /// The secret: 32 hexadecimal digits.
  package var secret: String
  /// Who posts it.
  package var name: String
  /// The text.
  package var message: String
  /// The bytes of the sound; nil for none.
  package var audio: [UInt8]?

  /// A draft with an identifier and a secret of its own, unless it has got them already.
  package init(
    id: String = PostID.random(), secret: String = PostID.randomSecret(), name: String,
    message: String, audio: [UInt8]? = nil
  ) {
    self.id = id
    self.secret = secret
    self.name = name
    self.message = message
    self.audio = audio
  }
}

/// Identifiers of posts, and secrets.
package enum PostID {
  /// A new identifier: a random UUID.
  package static func random() -> String { Take.newID() }

  /// A new secret of 128 bits.
  package static func randomSecret() -> String { Hexadecimal.random(bytes: 16) }

  /// An identifier as it is kept, in small letters; nil where a text is none.
  package static func plain(_ text: String) -> String? {
    let text = text.lowercased()
    return Take.isID(text) ? text : nil
  }

  /// Whether a text can be a secret.
  package static func isSecret(_ text: String) -> Bool {
    16...128 ~= text.utf8.count && text.utf8.allSatisfy { 33...126 ~= $0 }
  }
}
