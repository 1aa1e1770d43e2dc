internal import Foundation

/// A turnstile that holds back a freewheeling server until a test has sent the next messages.
///
/// A callback may block in it, which is not possible when frames follow the clock.
package final class Turnstile: @unchecked Sendable {
  private let gate = NSCondition()
  private var openUntil = Int64.max
  private var frame64: Int64 = 0
  private var heardUntil: Int64 = 0
  private var isHeld = false

  /// Creates an open turnstile.
  package init() {}

  /// Widens the first frame of a block to 64 bits.
  package func widen(_ frame: UInt32) -> Int64 {
    frame64 += Int64(Int32(bitPattern: frame &- UInt32(truncatingIfNeeded: frame64)))
    return frame64
  }

  /// Records that everything before a frame was received, and waits until more is allowed.
  package func pass(_ frame: Int64) {
    gate.lock()
    heardUntil = frame
    gate.broadcast()
    // A failed test must not hold the server forever.
    let deadline = Date() + waitLimit
    while heardUntil > openUntil {
      isHeld = true
      gate.broadcast()
      guard gate.wait(until: deadline) else { break }
    }
    isHeld = false
    gate.unlock()
  }

  /// Closes the turnstile, and waits until the server is held, up to `waitLimit`.
  package func hold() {
    gate.lock()
    openUntil = .min
    let deadline = Date() + waitLimit
    while !isHeld, gate.wait(until: deadline) {}
    gate.unlock()
  }

  /// Opens the turnstile up to a frame.
  package func open(until frame: Int64) {
    gate.withLock {
      openUntil = frame
      gate.broadcast()
    }
  }

  /// Waits until everything before a frame was received, or until nothing was for `waitLimit`.
  package func awaitHeard(_ frame: Int64) {
    gate.lock()
    while heardUntil < frame, gate.wait(until: Date() + waitLimit) {}
    gate.unlock()
  }

  /// The frame up to which everything was received.
  package var heard: Int64 { gate.withLock { heardUntil } }
}
