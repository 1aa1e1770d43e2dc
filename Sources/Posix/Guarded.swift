/// A value protected by a mutex, without waits for changes.
package typealias Guarded = Monitor

extension Monitor {
  /// Calls `body` with exclusive access to the value.
  ///
  /// May block.
  package func withLock<Result>(_ body: (inout Value) -> Result) -> Result {
    change(waking: .nobody, body)
  }
}
