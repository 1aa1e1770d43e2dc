/// How much a phrase can hold.
package enum Phrase {
  /// The longest one in seconds.
  package static let longest = 10.0
  /// The most notes that one can have.
  package static let mostTouches = 4096
}
