/// The light of a pedal: what it shows.
package struct PedalLight: BitwiseCopyable, Equatable, Sendable {
  /// The meaning of a light.
  package enum Meaning: BitwiseCopyable, Equatable, Sendable {
    /// Lit while a loop does what a button is for, and blinking while that waits; slots from 0.
    case loop(slot: UInt8, LoopLight)
    /// Lit while a parameter has a value.
    case parameter(Parameter, Float)
    /// Lit or dark, as the control side knows.
    case fixed(Bool)
    /// Lit for the first half of each beat.
    case beat
  }

  /// The trigger whose light it is.
  package var trigger: Trigger
  /// The channel on which the trigger was learnt, from 0; 255 where that is not known.
  package var channel: UInt8
  /// The meaning.
  package var meaning: Meaning

  /// A light, and what it shows.
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

  /// Whether it is lit while a loop does something.
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
    // What is added to a loop is added to one that plays.
    case (.play, .playing), (.play, .overdubbing), (.play, .replacing), (.play, .substituting),
      (.play, .multiplying):
      true
    case (.pause, .paused), (.stop, .stopped), (.clear, .empty): true
    default: false
    }
  }

  /// Whether it blinks while a change from one activity to another is queued: it will go on or off, or
  /// the recording or overdub that it is lit for will end.
  @_noLocks
  package func blinks(from now: LoopActivity, to next: LoopActivity) -> Bool {
    let (isLit, willBeLit) = (isLit(now), isLit(next))
    if isLit != willBeLit { return true }
    // It stays on: playing goes on under an overdub, but one recording follows another.
    if case .play = self { return false }
    return isLit && unsafeBitCast(now, to: UInt8.self) != unsafeBitCast(next, to: UInt8.self)
  }
}

/// The values that lights are sent: how bright, or of which color, as the pedal takes it.
package struct LightValues: Sendable, Equatable {
  /// The value of a light that is lit.
  package var on: UInt8 = 127
  /// The value of a light that is dark.
  package var off: UInt8 = 0
  /// The value for what a loop does, by the number of that; 0 where it has none of its own.
  package var colors = [UInt8](repeating: 0, count: LoopActivity.allCases.count)

  /// Full and nothing, for pedals without colors.
  package init() {}
}

/// The lights of pedals, in memory of their own.
///
/// The control side makes it and keeps it alive until the audio thread has let it go.
package final class LightMap: @unchecked Sendable {
  /// The most lights.
  package static let most = 128

  /// The pointer that the audio thread is given.
  package let pointer: LightMapPointer
  private let lights: UnsafeMutablePointer<PedalLight>
  private let colors: UnsafeMutablePointer<UInt8>

  /// Lights with their values; those of one trigger are one light, lit where one of them is.
  package init(_ lights: [PedalLight], values: LightValues = LightValues()) {
    let sorted = lights.filter(\.trigger.hasLight).sorted { $0.trigger.place < $1.trigger.place }
      .prefix(Self.most)
    self.lights = .allocate(capacity: max(1, sorted.count))
    for (index, light) in sorted.enumerated() { (self.lights + index).initialize(to: light) }
    colors = .allocate(capacity: values.colors.count)
    for (index, color) in values.colors.enumerated() { (colors + index).initialize(to: color) }
    pointer = LightMapPointer(
      lights: UnsafePointer(self.lights), count: sorted.count, colors: UnsafePointer(colors),
      on: values.on, off: values.off)
  }

  deinit {
    lights.deallocate()
    colors.deallocate()
  }
}

/// A pointer to the lights of pedals, as the audio thread is given it.
package struct LightMapPointer: BitwiseCopyable, @unchecked Sendable {
  private let lights: UnsafePointer<PedalLight>
  private let colors: UnsafePointer<UInt8>
  let count: Int
  let on: UInt8
  let off: UInt8

  init(
    lights: UnsafePointer<PedalLight>, count: Int, colors: UnsafePointer<UInt8>, on: UInt8,
    off: UInt8
  ) {
    self.lights = lights
    self.count = count
    self.colors = colors
    self.on = on
    self.off = off
  }

  subscript(_ place: Int) -> PedalLight { @_noLocks get { lights[place] } }

  /// The value for what a loop does; 0 where it has none of its own.
  @_noLocks
  func color(of activity: LoopActivity) -> UInt8 {
    colors[Int(unsafeBitCast(activity, to: UInt8.self))]
  }
}
