internal import DSP

/// A clip that is being copied into the loop or out of it, part by part.
struct LoopTransfer: BitwiseCopyable {
  // Ten seconds take 0.2 s at 64 frames per block, at little cost per block.
  private static var framesPerFrame: Int { @_noLocks get { 64 } }

  /// The direction of a transfer.
  enum Kind: BitwiseCopyable {
    case none, loading, keeping
    /// Of a clip that plays already, copied by the loop itself.
    case exchanging
  }

  private(set) var kind = Kind.none
  /// The command that started it.
  private(set) var origin = CommandOrigin.client(0, wasTimed: false)
  private var pointer: ClipPointer?
  private var version = 0
  private var done = 0

  /// Whether a transfer is in progress.
  var isUnderWay: Bool {
    @_noLocks get { if case .none = kind { false } else { true } }
  }

  @_noLocks
  mutating func begin(
    _ kind: Kind, _ pointer: ClipPointer, version: Int, origin: CommandOrigin
  ) {
    self.kind = kind
    self.pointer = pointer
    self.version = version
    self.origin = origin
    done = 0
  }

  /// Copies as much as the budget of a block of this length allows.
  ///
  /// A loaded clip becomes a new step of the undo history, or takes the place of the current one. Returns whether
  /// all is done.
  @_noLocks
  mutating func advance(_ tape: inout LoopTape, frames: Int, inPlace: Bool) -> Bool {
    guard let pointer else { return false }
    let clip =
      isLoading ? min(pointer.account.pointee.length, tape.capacity) : tape[version].length
    let known = isLoading ? min(pointer.account.pointee.framesBehind, tape.seam) : tape.seam
    let whole = min(clip &+ known, pointer.capacity)
    let count = min(whole &- done, frames &* Self.framesPerFrame)
    let part = pointer.sound.advanced(by: done)
    if isLoading {
      // A file may contain values that are not finite.
      _ = part.silenceNonFinite(frames: count)
      tape.load(part, into: version, at: done, frames: count)
    } else {
      tape.read(version, at: done, to: part, frames: count)
    }
    done &+= count
    if done < whole { return false }
    pointer.account.pointee.clip = tape[version].clip
    if isLoading {
      tape.finishLoading(
        version, length: clip, framesBehind: whole &- clip, round: pointer.account.pointee.round,
        beat: pointer.account.pointee.beat, inPlace: inPlace)
    } else {
      pointer.account.pointee.length = min(clip, whole)
      pointer.account.pointee.framesBehind = max(0, whole &- clip)
      pointer.account.pointee.round = tape[version].round
      pointer.account.pointee.beat = tape[version].beat
      // The copy counts as a layer.
      pointer.account.pointee.layers = tape[version].layers &- 1
      tape.release(version)
    }
    return true
  }

  /// Whether a clip is being loaded.
  var isLoading: Bool {
    @_noLocks get { if case .loading = kind { true } else { false } }
  }

  /// Whether the clip plays already while it is copied.
  var isExchanging: Bool {
    @_noLocks get { if case .exchanging = kind { true } else { false } }
  }

  /// Whether the clip is loaded to be heard once.
  var playsOnce: Bool { @_noLocks get { pointer?.account.pointee.playsOnce ?? false } }

  /// Ends the transfer.
  @_noLocks
  mutating func end() { self = LoopTransfer() }
}
