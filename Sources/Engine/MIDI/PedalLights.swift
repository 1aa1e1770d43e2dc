internal import DSP

/// The values that were sent to the lights of pedals.
///
/// Only changes are sent.
struct PedalLights: ~Copyable {
  // The maximum number of updates per block.
  private static var mostLooks: Int { @_noLocks get { 16 } }
  private static var unknown: UInt8 { @_noLocks get { 255 } }

  private(set) var map: LightMapPointer?
  private let buffers = Buffers()
  // The last value and its channel, by the index of the trigger.
  private let sent: UnsafeMutablePointer<UInt8>
  private let channels: UnsafeMutablePointer<UInt8>
  private var looksLeft = 0
  // Whether lights that are not in the map may be lit.
  private var hasOld = false
  /// Whether all lights stay dark.
  private(set) var isDark = false

  init() {
    sent = buffers.filled(with: Self.unknown, count: Trigger.lights)
    channels = buffers.filled(with: 0, count: Trigger.lights)
  }

  /// Sets the map, and turns off lights that are not in it.
  ///
  /// Sends all lights again on request.
  @_noLocks
  mutating func setMap(_ map: LightMapPointer, sendsAgain: Bool) {
    self.map = map
    hasOld = true
    if sendsAgain { forget() }
  }

  /// Clears the record of sent values, for another receiver.
  @_noLocks
  mutating func forget() {
    isDark = false
    guard let map else { return }
    for index in 0..<map.count { sent[Int(map[index].trigger.place)] = Self.unknown }
  }

  /// Darkens all lights, until there is another receiver.
  @_noLocks
  mutating func end() {
    isDark = true
    hasOld = true
  }

  /// Returns the lights to update, or nil.
  @_noLocks
  mutating func begin(isFirst: Bool) -> LightMapPointer? {
    guard let map else { return nil }
    if isFirst { looksLeft = Self.mostLooks }
    if looksLeft == 0 || isDark && !hasOld { return nil }
    looksLeft &-= 1
    return map
  }

  /// Darkens lights that are not in the map.
  @_noLocks
  mutating func darkenOld(_ map: LightMapPointer, _ outbox: inout MIDIOutbox) {
    guard hasOld else { return }
    hasOld = false
    var next = 0
    for place in 0..<Trigger.lights {
      while next < map.count, Int(map[next].trigger.place) < place { next &+= 1 }
      let isThere = next < map.count && Int(map[next].trigger.place) == place && !isDark
      if isThere || sent[place] == Self.unknown || sent[place] == map.off { continue }
      if !show(place, map.off, channels[place], &outbox) { hasOld = true }
    }
  }

  /// Sends the value of a light if it has changed.
  ///
  /// Returns false if there was no room.
  @_noLocks @discardableResult
  mutating func show(
    _ place: Int, _ value: UInt8, _ channel: UInt8, _ outbox: inout MIDIOutbox
  ) -> Bool {
    if sent[place] == value && channels[place] == channel { return true }
    let isNote = place < 128
    guard
      outbox.light(
        (isNote ? 0x90 : 0xB0) | channel, UInt8(truncatingIfNeeded: place & 127), value)
    else { return false }
    sent[place] = value
    channels[place] = channel
    return true
  }
}
