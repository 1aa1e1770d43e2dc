internal import CPosix

/// The messages that C libraries print to standard error.
package enum LibraryMessages {
  /// Runs `body` without the messages of the libraries that it calls on this thread.
  ///
  /// Only what is printed through C's `stderr` is dropped: crash reports aren't.
  package static func dropping<Result>(_ body: () -> Result) -> Result {
    px_begin_quiet()
    defer { px_end_quiet() }
    return body()
  }
}
