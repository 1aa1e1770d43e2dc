internal import DSP
internal import Foundation

/// A feedback loop of microphone, guard, gain and loudspeaker in a room, in blocks of 64 frames.
package final class HowlStage {
  /// The room.
  package let room: HowlRoom
  /// The microphone signal, before the guard.
  package private(set) var heard: [Float] = []
  /// The guard's detections: each notch, and the frame at which it was set.
  package private(set) var found: [(frame: Int, hertz: Float)] = []
  /// The number of probe tones.
  package var probeCount: Int { guardian?.pointee.probeCount ?? 0 }

  private let guardian: UnsafeMutablePointer<HowlGuard>?
  private var feedback = [Float](repeating: 0, count: 64)
  private var left = [Float](repeating: 0, count: 64)
  private var right = [Float](repeating: 0, count: 64)
  private var known: Set<Float> = []

  /// Creates a stage in a room, with or without a guard.
  package init(_ room: HowlRoom, isGuarded: Bool, holdSeconds: Float = 600) {
    self.room = room
    guard isGuarded else {
      guardian = nil
      return
    }
    let guardian = UnsafeMutablePointer<HowlGuard>.allocate(capacity: 1)
    guardian.initialize(to: HowlGuard(sampleRate: 48_000))
    guardian.pointee.setOn(true)
    guardian.pointee.setHold(seconds: holdSeconds)
    self.guardian = guardian
  }

  deinit {
    guardian?.deinitialize(count: 1)
    guardian?.deallocate()
  }

  /// The present notches, in Hz.
  package var notches: [Float] { all.map(\.hertz) }

  /// The gain of each notch, in dB.
  package var depths: [Float] { all.map(\.decibels) }

  private var all: [HowlGuard.Notch] {
    guard let guardian else { return [] }
    return (0..<HowlGuard.mostNotches).map { guardian.pointee.notch($0) }.filter { $0.hertz > 0 }
  }

  /// Removes all notches.
  package func clear() { guardian?.pointee.clear() }

  /// Plays sound into the microphone, at a gain in dB relative to the room's limit.
  package func play(_ sound: [Float], decibels: Double) {
    let gain = Float(room.limit * pow(10, decibels / 20))
    var start = 0
    while start + 64 <= sound.count {
      for frame in 0..<64 {
        left[frame] = sound[start + frame] + feedback[frame]
        right[frame] = left[frame]
      }
      heard += left
      guardBlock()
      // The loudspeaker saturates.
      feedback = room.pass(left.map { tanhf(gain * $0) })
      start += 64
    }
  }

  private func guardBlock() {
    guard let guardian else { return }
    left.withUnsafeMutableBufferPointer { left in
      right.withUnsafeMutableBufferPointer { right in
        let peak = Magnitude(left.baseAddress!, frames: 64).peak
        guardian.pointee.process(
          Stereo(left.baseAddress!, right.baseAddress!), peak: peak, frames: 64)
      }
    }
    guard guardian.pointee.takeChange() else { return }
    let now = notches
    for hertz in now where !known.contains(hertz) { found.append((heard.count, hertz)) }
    known = Set(now)
  }
}
