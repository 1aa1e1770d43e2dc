internal import DSP

/// A light of a pedal, and the state it shows.
package struct PedalLight: BitwiseCopyable, Equatable, Sendable {
  /// The meaning of a light.
  package enum Meaning: BitwiseCopyable, Equatable, Sendable {
    /// Lit during an activity of a loop, and blinking while its start or end is queued. Slots are from 0.
    case loop(slot: UInt8, LoopLight)
    /// Lit while a parameter has a value.
    case parameter(Parameter, Float)
    /// Lit or dark, as the control side sets it.
    case fixed(Bool)
    /// Lit for the first half of each beat.
    case beat
  }

  /// The trigger that has the light.
  package var trigger: Trigger
  /// The channel on which the trigger was mapped, from 0, or 255.
  package var channel: UInt8
  /// The meaning.
  package var meaning: Meaning

  /// Creates a light.
  package init(_ trigger: Trigger, channel: UInt8, _ meaning: Meaning) {
    self.trigger = trigger
    self.channel = channel
    self.meaning = meaning
  }
}

/// The buttons of a loop that have a light.
package enum LoopLight: UInt8, CaseIterable, Sendable, BitwiseCopyable {
  case pedal, record, overdub, replace, substitute, multiply, insert
  case play, pause, stop, clear

  /// Whether the light is on during an activity.
  @_noLocks
  package func isLit(_ activity: LoopActivity) -> Bool {
    switch (self, activity) {
    case (.pedal, .recording), (.pedal, .overdubbing), (.pedal, .replacing),
      (.pedal, .substituting), (.pedal, .multiplying), (.pedal, .inserting):
      true
    case (.record, .recording), (.record, .overdubbing): true
    case (.overdub, .overdubbing), (.replace, .replacing), (.substitute, .substituting),
      (.multiply, .multiplying), (.insert, .inserting):
      true
    // A loop with a layer plays, too.
    case (.play, .playing), (.play, .overdubbing), (.play, .replacing), (.play, .substituting),
      (.play, .multiplying):
      true
    case (.pause, .paused), (.stop, .stopped), (.clear, .empty): true
    default: false
    }
  }

  /// Whether the light blinks while a change from one activity to another is queued: it will turn
  /// on or off, or the recording or overdub that it shows will end.
  @_noLocks
  package func blinks(from now: LoopActivity, to next: LoopActivity) -> Bool {
    let (isLit, willBeLit) = (isLit(now), isLit(next))
    if isLit != willBeLit { return true }
    // The light stays on: playback continues under an overdub, but one recording follows another.
    if case .play = self { return false }
    return isLit && unsafeBitCast(now, to: UInt8.self) != unsafeBitCast(next, to: UInt8.self)
  }
}

/// The values that are sent to lights: a brightness, or a color of the pedal.
package struct LightValues: Sendable, Equatable {
  /// The value of a light that is lit.
  package var on: UInt8 = 127
  /// The value of a light that is dark.
  package var off: UInt8 = 0
  /// The value of each activity of a loop, or 0 for the default one.
  package var colors = [UInt8](repeating: 0, count: LoopActivity.allCases.count)

  /// Creates values for pedals without colors: full and off.
  package init() {}
}

/// The lights of pedals.
///
/// The control side creates it, and keeps it alive until the audio thread has released it.
package final class LightMap: @unchecked Sendable {
  /// The maximum number of lights.
  package static let most = 128

  /// The pointer for the audio thread.
  package let pointer: LightMapPointer
  private let buffers = Buffers()

  /// Creates a map of lights.
  ///
  /// Those of one trigger share a light, which is lit if any of them is.
  package init(_ lights: [PedalLight], values: LightValues = LightValues()) {
    let sorted = lights.filter(\.trigger.hasLight).sorted { $0.trigger.place < $1.trigger.place }
      .prefix(Self.most)
    pointer = LightMapPointer(
      lights: UnsafePointer(buffers.copied(Array(sorted))), count: sorted.count,
      colors: UnsafePointer(buffers.copied(values.colors)), on: values.on, off: values.off)
  }
}

/// A pointer to the lights of pedals, for the audio thread.
package struct LightMapPointer: BitwiseCopyable, @unchecked Sendable {
  fileprivate let lights: UnsafePointer<PedalLight>
  let count: Int
  fileprivate let colors: UnsafePointer<UInt8>
  let on: UInt8
  let off: UInt8

  subscript(_ place: Int) -> PedalLight { @_noLocks get { lights[place] } }

  /// Returns the value of an activity, or 0 for the default one.
  @_noLocks
  func color(of activity: LoopActivity) -> UInt8 {
    colors[Int(unsafeBitCast(activity, to: UInt8.self))]
  }
}
