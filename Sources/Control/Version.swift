/// The version of the program.
package enum Version {
  /// Its text.
  package static let text = "0.1.0"
}
