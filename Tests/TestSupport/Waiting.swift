internal import Foundation
internal import Posix

/// The limit of a wait for an event, in seconds of the host's clock.
///
/// Only a failure reaches it: it is far longer than a busy machine delays anything.
package let waitLimit = 60.0

/// Waits until a condition holds, and throws a fault that names it when the limit has passed.
///
/// A test that passes waits no longer than the event takes, whatever the limit is.
package func waitUntil(
  _ what: String, seconds: Double = waitLimit, every pause: Double = 0.005,
  file: String = #fileID, line: Int = #line, _ isSo: () throws -> Bool
) throws {
  let deadline = HostTime.steady + seconds * 1e6
  while try !isSo() {
    guard HostTime.steady < deadline else {
      throw Fault("\(file):\(line): after \(seconds) s it is not so that \(what)")
    }
    usleep(UInt32(pause * 1e6))
  }
}

/// Sleeps for a time that is itself the subject of a test: a random moment, or the time in which
/// something must not happen.
///
/// To wait for an event use `waitUntil`, for a clip of a length `Phone.awaitLength`, and for sound
/// `Probe.pass`: a busy machine delays all three, and the host's clock knows of none. The reason is for
/// the reader of the test.
package func letPass(seconds: Double, _ reason: StaticString) {
  // A signal, such as that of a child's end, cuts a sleep short.
  let end = HostTime.steady + seconds * 1e6
  while case let left = end - HostTime.steady, left > 0 { usleep(UInt32(left.rounded(.up))) }
}
