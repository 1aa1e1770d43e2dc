internal import CPosix

/// The count of continues after stops of this process, by SIGCONT.
package enum Continues {
  /// Counts from now on.
  package static func count() { px_count_continues() }

  /// The count so far.
  package static var current: Int { Int(px_continues()) }
}
