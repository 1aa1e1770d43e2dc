/// The number of an engine's loops, their longest length, and the length of the recent sound of each source.
package struct LoopSetup: Sendable {
  // In addition to the playing clips: a clip being recorded, and undo steps, in seconds.
  private static let spare = 90.0

  /// The number of loops.
  package let count: Int
  /// The length of the longest clip, in seconds.
  package var seconds: Double
  /// The length of the recent sound of a source that can be made a clip, in seconds.
  package var keptSeconds: Double

  /// Creates a setup of at least one loop, and no more than an engine supports.
  package init(count: Int = 4, seconds: Double = 10, keptSeconds: Double = 60) {
    self.count = max(1, min(count, Parameter.mostLoops))
    self.seconds = seconds
    self.keptSeconds = keptSeconds
  }

  /// The maximum memory at a sample rate in Hz, in bytes: with all clips and undo steps
  /// in use, and loops that listen to all three sources.
  package func bytes(sampleRate: Double) -> Int {
    Int((pooledSeconds + 3 * keptSeconds) * sampleRate) * 8
  }

  /// The length of all clips and undo steps together, in seconds.
  package var pooledSeconds: Double {
    Double(count) * seconds + max(Self.spare, seconds)
  }
}
