internal import Foundation
internal import Posix

/// The time limit of a wait for an event, in seconds of the host's clock.
///
/// Only a failure reaches it: it is far longer than any delay of a busy machine.
package let waitLimit = 60.0

/// Waits until a condition holds; on timeout throws an error that names it.
///
/// A passing test waits only as long as the event takes, whatever the limit is. Time in which another program
/// has the processor doesn't count.
package func waitUntil(
  _ what: String, seconds: Double = waitLimit, every pause: Double = 0.005,
  file: String = #fileID, line: Int = #line, _ isSo: () throws -> Bool
) throws {
  let deadline = HostTime.steady - secondsWithoutProcessor() * 1e6 + seconds * 1e6
  while try !isSo() {
    guard HostTime.steady < deadline || HostTime.steady - secondsWithoutProcessor() * 1e6 < deadline
    else {
      throw Fault("\(file):\(line): timed out after \(seconds) s waiting until \(what)")
    }
    usleep(UInt32(pause * 1e6))
  }
}

/// The time in seconds for which this thread was ready to run and had no processor; 0 if the system doesn't
/// count it.
private func secondsWithoutProcessor() -> Double {
  let counts = try? String(contentsOfFile: "/proc/thread-self/schedstat", encoding: .utf8)
  // The time on a processor and the time without, in nanoseconds, and a count.
  guard let fields = counts?.split(separator: " "), fields.count == 3 else { return 0 }
  return (Double(fields[1]) ?? 0) / 1e9
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
