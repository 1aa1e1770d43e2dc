internal import Foundation
internal import Posix

/// The time limit of a wait for an event, in seconds of the host's clock.
///
/// Only a failure reaches it: it is far longer than any delay of a busy machine.
package let waitLimit = 60.0

/// Waits until a condition holds; on timeout throws an error that names it.
///
/// A passing test waits only as long as the event takes, whatever the limit is.
package func waitUntil(
  _ what: String, seconds: Double = waitLimit, every pause: Double = 0.005,
  file: String = #fileID, line: Int = #line, _ isSo: () throws -> Bool
) throws {
  let deadline = HostTime.steady + seconds * 1e6
  while try !isSo() {
    guard HostTime.steady < deadline else {
      throw Fault("\(file):\(line): timed out after \(seconds) s waiting until \(what)")
    }
    usleep(UInt32(pause * 1e6))
  }
}

/// Sleeps for a duration that is itself the subject of a test: a random moment, or the time in
/// which something must not happen.
///
/// To wait for an event use `waitUntil`, for the length of a clip `Phone.awaitLength`, and for
/// sound `Phone.pass` or `Probe.pass`: a busy machine delays all of them relative to the host's
/// clock. The reason documents the test.
package func letPass(seconds: Double, _ reason: StaticString) {
  // A signal, such as SIGCHLD, interrupts a sleep.
  let end = HostTime.steady + seconds * 1e6
  while case let left = end - HostTime.steady, left > 0 { usleep(UInt32(left.rounded(.up))) }
}
