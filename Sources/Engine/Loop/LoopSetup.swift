/// How many loops an engine has, how long each can be, and how much of the sources is kept.
package struct LoopSetup: Sendable {
  // Besides what is heard: a clip that is made, and steps back, in seconds.
  private static let spare = 90.0

  /// How many loops there are.
  package let count: Int
  /// The length of the longest clip, in seconds.
  package var seconds: Double
  /// How much of each source can be made a clip afterwards, in seconds.
  package var keptSeconds: Double

  /// Loops of so many seconds: one at least, and no more than there can be.
  package init(count: Int = 4, seconds: Double = 10, keptSeconds: Double = 60) {
    self.count = max(1, min(count, Parameter.mostLoops))
    self.seconds = seconds
    self.keptSeconds = keptSeconds
  }

  /// How much memory all of that takes at a rate in Hz, in bytes.
  package func bytes(sampleRate: Double) -> Int {
    Int((pooledSeconds + 3 * keptSeconds) * sampleRate) * 8
  }

  /// How much sound there is memory for, in seconds.
  package var pooledSeconds: Double {
    Double(count) * seconds + max(Self.spare, seconds)
  }
}
