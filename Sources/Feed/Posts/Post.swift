internal import HTTP
internal import Library
package import Posix

/// A post on a board: its author, text and date.
///
/// Its sound is downloaded separately.
package struct Post: Equatable, Sendable {
  /// The metadata of a post's sound.
  package struct Sound: Equatable, Sendable {
    /// The duration in seconds, or 0 if unknown.
    package var seconds: Double
    /// The size in bytes.
    package var bytes: Int
    /// The kind of sound file.
    package var kind: SoundKind
  }

  /// The number on the board, ascending.
  package var number: Int
  /// The ID, unique across all boards.
  package var id: String
  /// The author, or empty if removed.
  package var name: String
  /// The text.
  package var message: String
  /// The time at which the board received it.
  package var date: ZonedDate
  /// The sound, or nil.
  package var sound: Sound?
}

/// A post before it is sent, with an ID that makes sending idempotent, and a secret that permits
/// deleting it.
package struct Draft: Equatable, Sendable {
  /// The ID: a lowercase UUID.
  package var id: String
  /// The secret: 32 hexadecimal digits.
  package var secret: String
  /// The author.
  package var name: String
  /// The text.
  package var message: String
  /// The bytes of the sound file, or nil.
  package var audio: [UInt8]?

  /// Creates a draft.
  ///
  /// By default its ID and its secret are random.
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

/// IDs and secrets of posts.
package enum PostID {
  /// Returns a new ID: a random UUID.
  package static func random() -> String { Take.newID() }

  /// Returns a new secret of 128 bits.
  package static func randomSecret() -> String { Hexadecimal.random(bytes: 16) }

  /// Returns an ID in lowercase, or nil if the text is not an ID.
  package static func plain(_ text: String) -> String? {
    let text = text.lowercased()
    return Take.isID(text) ? text : nil
  }

  /// Whether a text is a valid secret.
  package static func isSecret(_ text: String) -> Bool {
    16...128 ~= text.utf8.count && text.utf8.allSatisfy { 33...126 ~= $0 }
  }
}
