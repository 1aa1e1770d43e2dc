internal import Glibc

/// The exit of this process.
package enum Departure {
  /// Exits with a code, without running exit handlers.
  ///
  /// JACK cancels its threads at any point. A thread canceled while formatting an error message
  /// leaves a lock of the C library locked, and the destructor of locales would deadlock on it.
  package static func leave(_ code: Int32) -> Never {
    fflush(nil)
    _exit(code)
  }
}
