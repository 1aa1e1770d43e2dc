/// The limits of a phrase.
package enum Phrase {
  /// The longest phrase, in seconds.
  package static let longest = 10.0
  /// The maximum number of notes in a phrase.
  package static let mostTouches = 4096
}
