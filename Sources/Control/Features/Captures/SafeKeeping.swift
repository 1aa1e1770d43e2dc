internal import Glibc
internal import Posix

/// Makes what was written to a file safe on its disk, twice a second, on a thread of its own.
///
/// A disk can take long for that: whoever writes the file is not held up, and what is written can
/// be lost with the machine only, not with the program.
final class SafeKeeping: Sendable {
  private static let period = 500

  private let path: String
  private let file: Descriptor
  private let wake: Signal
  private let isWanted = Guarded(true)
  private let latestFault = Guarded<SystemError?>(nil)

  /// Begins with a file that is there.
  init(_ path: String) throws(SystemError) {
    self.path = path
    file = try Descriptor(open(path, O_RDONLY | O_CLOEXEC), orThrow: path)
    wake = try Signal()
    try Thread.start("safe-keeping") { [self] in work() }
  }

  /// Why the disk did not take all of it; nil where it did.
  var fault: SystemError? { latestFault.withLock { $0 } }

  /// Ends it, without waiting for the disk.
  func end() {
    isWanted.withLock { $0 = false }
    wake.set()
  }

  private func work() {
    while true {
      wake.wait(milliseconds: Self.period)
      guard isWanted.withLock({ $0 }) else { return }
      if fdatasync(file.number) != 0 {
        let fault = SystemError(path)
        latestFault.withLock { $0 = fault }
      }
    }
  }
}
