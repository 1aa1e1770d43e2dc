internal import Foundation

/// A turnstile that holds a freewheeling server back while a test has not yet sent what is due
/// next.
///
/// A callback may wait there, as it may not where frames follow the clock.
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

  /// Notes that all up to a frame was heard, and waits until more may come.
  package func pass(_ frame: Int64) {
    gate.lock()
    heardUntil = frame
    gate.broadcast()
    // A test that has failed meanwhile must not hold the server for ever.
    let deadline = Date() + waitLimit
    while heardUntil > openUntil {
      isHeld = true
      gate.broadcast()
      guard gate.wait(until: deadline) else { break }
    }
    isHeld = false
    gate.unlock()
  }

  /// Lets nothing more through, and waits until the server is held; `waitLimit` at most.
  package func hold() {
    gate.lock()
    openUntil = .min
    let deadline = Date() + waitLimit
    while !isHeld, gate.wait(until: deadline) {}
    gate.unlock()
  }

  /// Opens for what comes before a frame.
  package func open(until frame: Int64) {
    gate.withLock {
      openUntil = frame
      gate.broadcast()
    }
  }

  /// Waits until all up to a frame was heard; `waitLimit` at most.
  package func awaitHeard(_ frame: Int64) {
    gate.lock()
    let deadline = Date() + waitLimit
    while heardUntil < frame, gate.wait(until: deadline) {}
    gate.unlock()
  }

  /// The frame up to which all was heard.
  package var heard: Int64 { gate.withLock { heardUntil } }
}
