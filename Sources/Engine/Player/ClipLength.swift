/// The length of the longest clip of a loop: one constant for tape, transfers and addresses.
package enum ClipLength {
  /// The length, in seconds.
  package static var seconds: Double { @_noLocks get { 10 } }
}
