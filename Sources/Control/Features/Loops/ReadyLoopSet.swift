internal import Engine

/// A loop set with its clips in memory, at the sample rate of the engine, ready to replace all loops on one frame.
final class ReadyLoopSet {
  let name: String
  let set: LoopSet
  let rate: Int
  /// The clips by loop, counted from 0.
  private(set) var clips: [Int: Takes.ClipInMemory] = [:]
  /// What could not be read.
  private(set) var faults: [Refusal] = []

  init(_ name: String, _ set: LoopSet, rate: Int) {
    self.name = name
    self.set = set
    self.rate = rate
  }

  /// The length of all clips, in seconds.
  var seconds: Double { clips.values.reduce(0) { $0 + $1.transfer.seconds } }

  func add(_ clip: Takes.ClipInMemory, of loop: Int) { clips[loop] = clip }

  func addFault(_ fault: Refusal) { faults.append(fault) }
}
