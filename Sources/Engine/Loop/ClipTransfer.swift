package import DSP

/// A clip that is transferred into a loop or out of it, in memory shared with the audio thread.
///
/// The control side creates it, and accesses it again after the event of the command. The audio thread copies
/// a part of it per block.
package final class ClipTransfer: @unchecked Sendable {
  // More than the tail of a clip.
  private static let secondsBehind = 0.1

  /// The samples of the clip and its tail.
  package let sound: Stereo
  /// The maximum number of frames of a clip and its tail.
  package let capacity: Int
  private let buffers = Buffers()
  let account: UnsafeMutablePointer<ClipAccount>

  /// The length of the longest clip that fits, in seconds.
  package let seconds: Double

  /// Allocates room for clips of a length in seconds and their tails, at a sample rate in Hz.
  package init(sampleRate: Int, seconds: Double = 10) {
    self.seconds = seconds
    capacity = Int((seconds + Self.secondsBehind) * Double(sampleRate))
    sound = buffers.stereo(capacity)
    account = buffers.box(ClipAccount(sampleRate: sampleRate))
  }

  /// The length of the clip in frames.
  package var length: Int {
    get { account.pointee.length }
    set { account.pointee.length = newValue }
  }

  /// The length of its tail in frames.
  package var framesBehind: Int {
    get { account.pointee.framesBehind }
    set { account.pointee.framesBehind = newValue }
  }

  /// The length of a cycle in frames: that of the clip, or up to one frame less.
  ///
  /// 0 is that of the clip.
  package var round: Double {
    get { account.pointee.round }
    set { account.pointee.round = newValue }
  }

  /// The length of a beat in frames, 0 if it is unknown.
  package var beat: Double {
    get { account.pointee.beat }
    set { account.pointee.beat = newValue }
  }

  /// Whether the clip is opened to be heard once: it plays once each time, whether the loop repeats or
  /// not.
  package var playsOnce: Bool {
    get { account.pointee.playsOnce }
    set { account.pointee.playsOnce = newValue }
  }

  /// The number that the clip has in the loop.
  package var clip: Int { account.pointee.clip }

  /// The number of overdubs on the clip in the loop that it was copied from.
  package var layers: Int { account.pointee.layers }

  /// Its rate in Hz.
  package var sampleRate: Int { account.pointee.sampleRate }
}

/// The length, rate, number and layers of a clip in a transfer.
struct ClipAccount: BitwiseCopyable {
  var length = 0
  var framesBehind = 0
  var clip = 0
  var layers = 0
  var round = 0.0
  var beat = 0.0
  var playsOnce = false
  let sampleRate: Int

  init(sampleRate: Int) { self.sampleRate = sampleRate }
}

/// A pointer to the parts of a transfer, for the audio thread.
///
/// The sender keeps the transfer alive until the event of the command.
package struct ClipPointer: BitwiseCopyable, @unchecked Sendable {
  let sound: Stereo
  let capacity: Int
  let account: UnsafeMutablePointer<ClipAccount>

  /// Creates a pointer to a transfer.
  package init(_ transfer: ClipTransfer) {
    sound = transfer.sound
    capacity = transfer.capacity
    account = transfer.account
  }
}
