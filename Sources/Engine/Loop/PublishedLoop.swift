internal import Synchronization

/// The state of a loop, published by the audio thread.
package struct PublishedLoop: ~Copyable, Sendable {
  /// The state at one moment.
  package struct Reading: Sendable, Equatable {
    /// The state.
    package var state: LoopState
    /// The queued action.
    package var pending: LoopAction?
    /// The activity.
    package var activity: LoopActivity
    /// The activity that follows the queued action.
    package var activityToCome: LoopActivity?
    /// Whether a layer is being added.
    package var isOverdubbing: Bool
    /// The number of layers on top of the recording.
    package var overdubs: Int
    /// The number of undo steps.
    package var stepsBack: Int
    /// The number of redo steps.
    package var stepsForth: Int
    /// The position in the clip, in frames.
    package var position: Int
    /// The length of the clip, in frames.
    package var length: Int
    /// The time until the queued action runs, in frames, or nil if that is unknown.
    package var waiting: Int?
    /// The number of the present clip.
    package var clip: Int
    /// The number of the last clip that was recorded or loaded.
    package var latestClip: Int
  }

  private static let unknown = Int.max

  // Each is consistent in itself. They may be of different moments.
  private let doing = Atomic<UInt64>(0)
  private let place = Atomic<UInt64>(0)
  private let clips = Atomic<UInt64>(0)
  private let found = Atomic<UInt32>(0)
  private let wait = Atomic<Int>(PublishedLoop.unknown)

  /// Audio thread.
  @_noLocks
  borrowing func publish(
    state: LoopState, pending: LoopAction?, activity: LoopActivity, toCome: LoopActivity?,
    isOverdubbing: Bool, overdubs: Int, stepsBack: Int, stepsForth: Int, position: Int, length: Int,
    waiting: Int,
    tempo: Float, clip: Int, latestClip: Int
  ) {
    clips.store(
      UInt64(UInt32(truncatingIfNeeded: clip))
        | UInt64(UInt32(truncatingIfNeeded: latestClip)) << 32, ordering: .relaxed)
    var bits = UInt64(unsafeBitCast(state, to: UInt8.self))
    if let pending { bits |= (UInt64(unsafeBitCast(pending, to: UInt8.self)) &+ 1) << 8 }
    if isOverdubbing { bits |= 1 << 16 }
    bits |= UInt64(unsafeBitCast(activity, to: UInt8.self)) << 48
    if let toCome { bits |= (UInt64(unsafeBitCast(toCome, to: UInt8.self)) &+ 1) << 56 }
    bits |= UInt64(min(stepsBack, 255)) << 24
    bits |= UInt64(min(stepsForth, 255)) << 32
    bits |= UInt64(min(overdubs, 255)) << 40
    doing.store(bits, ordering: .relaxed)
    place.store(UInt64(position) | UInt64(length) << 32, ordering: .relaxed)
    wait.store(waiting, ordering: .relaxed)
    found.store(tempo.bitPattern, ordering: .relaxed)
  }

  /// Publishes only a position, while nothing else changes.
  ///
  /// Audio thread.
  @_noLocks
  borrowing func publish(position: Int, length: Int) {
    place.store(UInt64(position) | UInt64(length) << 32, ordering: .relaxed)
  }

  /// The tempo that the first clip set, in BPM, or nil.
  package var tempo: Float? {
    let bits = found.load(ordering: .relaxed)
    return bits == 0 ? nil : Float(bitPattern: bits)
  }

  /// Any thread.
  package borrowing func read() -> Reading {
    let (bits, place) = (doing.load(ordering: .relaxed), place.load(ordering: .relaxed))
    let clips = clips.load(ordering: .relaxed)
    let wait = wait.load(ordering: .relaxed)
    let action = UInt8(truncatingIfNeeded: bits >> 8)
    let toCome = UInt8(truncatingIfNeeded: bits >> 56)
    return Reading(
      state: LoopState(rawValue: UInt8(truncatingIfNeeded: bits))!,
      pending: action == 0 ? nil : LoopAction(rawValue: action - 1),
      activity: LoopActivity(rawValue: UInt8(truncatingIfNeeded: bits >> 48)) ?? .empty,
      activityToCome: toCome == 0 ? nil : LoopActivity(rawValue: toCome - 1),
      isOverdubbing: bits >> 16 & 1 == 1,
      overdubs: Int(bits >> 40 & 255), stepsBack: Int(bits >> 24 & 255),
      stepsForth: Int(bits >> 32 & 255), position: Int(place & 0xFFFF_FFFF),
      length: Int(place >> 32), waiting: wait == Self.unknown ? nil : wait,
      clip: Int(clips & 0xFFFF_FFFF), latestClip: Int(clips >> 32))
  }
}
