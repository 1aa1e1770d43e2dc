internal import Foundation
internal import Posix

/// Waits until something is so, and throws what was waited for where it is not so in time.
///
/// The time is one that only what is broken takes: a test that passes waits no longer than it must.
package func waitUntil(
  _ what: String, seconds: Double = 10, every pause: Double = 0.005, file: String = #fileID,
  line: Int = #line, _ isSo: () throws -> Bool
) throws {
  let deadline = HostTime.steady + seconds * 1e6
  while try !isSo() {
    guard HostTime.steady < deadline else {
      throw Fault("\(file):\(line): after \(seconds) s it is not so that \(what)")
    }
    usleep(UInt32(pause * 1e6))
  }
}

/// Lets a time pass that is itself what a test is about, such as the length of what is recorded.
///
/// Whoever waits for something to happen uses `waitUntil`. The reason is for who reads the test.
package func letPass(seconds: Double, _ reason: StaticString) {
  // A signal, as of a process that ends, cuts a sleep short.
  let end = HostTime.steady + seconds * 1e6
  while case let left = end - HostTime.steady, left > 0 { usleep(UInt32(left.rounded(.up))) }
}
