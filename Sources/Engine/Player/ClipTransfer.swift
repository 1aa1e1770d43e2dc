package import DSP

/// A clip on its way into the loop or out of it, in memory that both sides know.
///
/// The control side makes it, and touches it again when the command's event has come. The audio
/// thread copies a little of it a block.
package final class ClipTransfer: @unchecked Sendable {
  /// What is carried, with what is kept behind the end.
  package let sound: Stereo
  /// The most frames of a clip, and of what lies behind its end.
  package let capacity: Int
  /// How many frames the clip has.
  package var length = 0
  /// How many frames behind its end are known.
  package var framesBehind = 0

  /// Room for a clip of so many frames, and what lies behind its end.
  package init(capacity: Int) {
    self.capacity = capacity
    let memory = UnsafeMutablePointer<Float>.allocate(capacity: 2 * capacity)
    memory.initialize(repeating: 0, count: 2 * capacity)
    sound = Stereo(memory, memory + capacity)
  }

  deinit { sound.left.deallocate() }
}

/// What the audio thread is told of a transfer: where its parts lie.
///
/// Whoever sends it keeps the transfer alive until the command's event has come.
package struct ClipPassage: BitwiseCopyable, @unchecked Sendable {
  let sound: Stereo
  let capacity: Int
  // The clip that is loaded; what was kept is told by way of `told`.
  let length: Int
  let framesBehind: Int
  let told: UnsafeMutablePointer<Int>

  /// The passage of a transfer; a clip that is kept tells its length and what lies behind its end
  /// in the two places of `told`.
  package init(_ transfer: ClipTransfer, told: UnsafeMutablePointer<Int>) {
    sound = transfer.sound
    capacity = transfer.capacity
    length = transfer.length
    framesBehind = transfer.framesBehind
    self.told = told
  }
}
