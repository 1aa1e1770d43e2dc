internal import Glibc

/// The end of this process, when all is done.
package enum Departure {
  /// Ends it with a code, and without what libraries would do at their ends.
  ///
  /// JACK cancels its threads wherever they are. One that was just wording a fault holds a lock of the C
  /// library from then on, and what takes locales away at the end would wait for it for ever.
  package static func leave(_ code: Int32) -> Never {
    fflush(nil)
    _exit(code)
  }
}
