/// The lights of pedals as they were sent last: only what changes is sent.
struct PedalLights: ~Copyable {
  // How often they are looked at in a block at most, however much happens in it.
  private static var mostLooks: Int { @_noLocks get { 16 } }
  private static var unknown: UInt8 { @_noLocks get { 255 } }

  private(set) var map: LightMapPointer?
  // By the place of their trigger: the value that was sent last, and its channel.
  private let sent: UnsafeMutablePointer<UInt8>
  private let channels: UnsafeMutablePointer<UInt8>
  private var looksLeft = 0
  // Some may be lit that the map has not.
  private var hasOld = false
  private var hasEnded = false

  init() {
    sent = .allocate(capacity: Trigger.lights)
    sent.initialize(repeating: Self.unknown, count: Trigger.lights)
    channels = .allocate(capacity: Trigger.lights)
    channels.initialize(repeating: 0, count: Trigger.lights)
  }

  deinit {
    sent.deallocate()
    channels.deallocate()
  }

  /// Takes other lights; those that are left out go dark, and all are sent again where that is
  /// wanted.
  @_noLocks
  mutating func setMap(_ map: LightMapPointer, sendsAgain: Bool) {
    self.map = map
    hasOld = true
    if sendsAgain { forget() }
  }

  /// Forgets what was sent: whoever listens is another one.
  @_noLocks
  mutating func forget() {
    hasEnded = false
    guard let map else { return }
    for index in 0..<map.count { sent[Int(map[index].trigger.place)] = Self.unknown }
  }

  /// Lets all go dark, until somebody else listens.
  @_noLocks
  mutating func end() {
    hasEnded = true
    hasOld = true
  }

  /// The lights to be looked at; nil where there is nothing to do.
  @_noLocks
  mutating func begin(isFirst: Bool) -> LightMapPointer? {
    guard let map else { return nil }
    if isFirst { looksLeft = Self.mostLooks }
    if looksLeft == 0 || hasEnded && !hasOld { return nil }
    looksLeft &-= 1
    return map
  }

  /// Lets those go dark that are lit, and that the map has not.
  @_noLocks
  mutating func darkenOld(_ map: LightMapPointer, _ outbox: inout MIDIOutbox) {
    guard hasOld else { return }
    hasOld = false
    var next = 0
    for place in 0..<Trigger.lights {
      while next < map.count, Int(map[next].trigger.place) < place { next &+= 1 }
      let isThere = next < map.count && Int(map[next].trigger.place) == place && !hasEnded
      if isThere || sent[place] == Self.unknown || sent[place] == map.off { continue }
      if !show(place, map.off, channels[place], &outbox) { hasOld = true }
    }
  }

  /// Whether all are to be dark.
  var isDark: Bool { @_noLocks get { hasEnded } }

  /// Sends a light's value where it is another one; false where that could not be.
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
