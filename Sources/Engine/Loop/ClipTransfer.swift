package import DSP

/// A clip on its way into the loop or out of it, in memory that both sides know.
///
/// The control side makes it, and touches it again when the command's event has come. The audio
/// thread copies a little of it a block.
package final class ClipTransfer: @unchecked Sendable {
  // More than what is kept behind the end of a clip.
  private static let secondsBehind = 0.1

  /// The sound of the clip, with what is kept behind its end.
  package let sound: Stereo
  /// The most frames of a clip, and of what lies behind its end.
  package let capacity: Int
  let account: UnsafeMutablePointer<ClipAccount>

  /// The longest clip that there is room for, in seconds.
  package let seconds: Double

  /// Room for clips of so many seconds, and what lies behind their end, at a rate in Hz.
  package init(sampleRate: Int, seconds: Double = 10) {
    self.seconds = seconds
    capacity = Int((seconds + Self.secondsBehind) * Double(sampleRate))
    let memory = UnsafeMutablePointer<Float>.allocate(capacity: 2 * capacity)
    memory.initialize(repeating: 0, count: 2 * capacity)
    sound = Stereo(memory, memory + capacity)
    account = .allocate(capacity: 1)
    account.initialize(to: ClipAccount(sampleRate: sampleRate))
  }

  deinit {
    sound.left.deallocate()
    account.deallocate()
  }

  /// How many frames the clip has.
  package var length: Int {
    get { account.pointee.length }
    set { account.pointee.length = newValue }
  }

  /// How many frames behind its end are known.
  package var framesBehind: Int {
    get { account.pointee.framesBehind }
    set { account.pointee.framesBehind = newValue }
  }

  /// How long a round of it takes, in frames: its length, or up to a frame less; 0 for its length.
  package var round: Double {
    get { account.pointee.round }
    set { account.pointee.round = newValue }
  }

  /// The number that the clip has in the loop.
  package var clip: Int { account.pointee.clip }

  /// Its rate in Hz.
  package var sampleRate: Int { account.pointee.sampleRate }
}

/// The length, rate and number of a clip in a transfer.
struct ClipAccount: BitwiseCopyable {
  var length = 0
  var framesBehind = 0
  var clip = 0
  var round = 0.0
  let sampleRate: Int

  init(sampleRate: Int) { self.sampleRate = sampleRate }
}

/// A pointer to the parts of a transfer, as the audio thread is given it.
///
/// Whoever sends it keeps the transfer alive until the command's event has come.
package struct ClipPointer: BitwiseCopyable, @unchecked Sendable {
  let sound: Stereo
  let capacity: Int
  let account: UnsafeMutablePointer<ClipAccount>

  /// The pointer of a transfer.
  package init(_ transfer: ClipTransfer) {
    sound = transfer.sound
    capacity = transfer.capacity
    account = transfer.account
  }
}
