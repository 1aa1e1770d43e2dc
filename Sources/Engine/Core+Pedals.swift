internal import DSP
internal import Synchronization

/// Pedals: presses of triggers, and the lights that show the state of their actions.
extension Core {
  // More than feet can trigger in a block. Actions beyond that are lost, and counted.
  private static var mostActions: Int { @_noLocks get { 256 } }

  /// Begins a block.
  @_noLocks
  mutating func beginPedals() { actionsLeft = Self.mostActions }

  /// The times that distinguish presses.
  var pressTimes: PressTimes { @_noLocks get { loops.time.pointee.presses } }

  // MARK: - Input

  /// Handles a MIDI message as one of a pedal.
  ///
  /// Returns whether it has no other effect.
  @_noLocks
  mutating func followPedal(_ event: MIDIEvent) -> Bool {
    judgePresses()
    let (first, second) = (event.first & 127, event.second & 127)
    let channel = event.status & 15
    switch event.status & 0xF0 {
    case 0x90 where second > 0: return strike(.note(first), second, channel)
    case 0x80, 0x90:
      guard pedals.isDown(.note(first)) else { return false }
      lift(.note(first))
      return true
    case 0xC0:
      // A program change has no release.
      guard strike(.program(first), 127, channel) else { return false }
      lift(.program(first), isAssumed: true)
      return true
    case 0xB0:
      turnPedal(.controller(first), second, channel)
      return false
    default: return false
    }
  }

  /// Presses a trigger, or learns it.
  ///
  /// Returns false if it is not bound.
  @_noLocks
  private mutating func strike(_ trigger: Trigger, _ value: UInt8, _ channel: UInt8) -> Bool {
    if pedals.isWanted(trigger) {
      learn(trigger, value, channel)
      pedals.hold(trigger)
      return true
    }
    guard pedals.isBound(trigger) else { return false }
    pedals.note(trigger, value: value, channel: channel)
    fire(trigger, pedals.press(trigger, at: present, pressTimes))
    return true
  }

  @_noLocks
  private mutating func lift(_ trigger: Trigger, isAssumed: Bool = false) {
    fire(trigger, pedals.lift(trigger, at: present, pressTimes, isAssumed: isAssumed))
  }

  /// Handles a controller as a pedal, which is pressed from the middle of its range on.
  ///
  /// A controller that repeats its value is a button without a release.
  @_noLocks
  private mutating func turnPedal(_ trigger: Trigger, _ value: UInt8, _ channel: UInt8) {
    if pedals.isWanted(trigger) {
      learn(trigger, value, channel)
      // A trigger acts only after it has returned.
      if value > 0 { pedals.hold(trigger) } else if pedals.isDown(trigger) { lift(trigger) }
      pedals.note(trigger, value: value, channel: channel)
      return
    }
    guard pedals.isBound(trigger) || pedals.isDown(trigger) else { return }
    let last = pedals.value(of: trigger)
    pedals.note(trigger, value: value, channel: channel)
    if pedals.isClosed(trigger), value < 64 ? value < last : value == last {
      lift(trigger, isAssumed: value >= 64)
    }
    if value >= 64, !pedals.isClosed(trigger), pedals.isBound(trigger) {
      fire(trigger, pedals.press(trigger, at: present, pressTimes))
    }
  }

  /// Handles a key of a pedal that works as a keyboard.
  @_noLocks
  mutating func followKey(_ number: UInt16, isDown: Bool) {
    judgePresses()
    let trigger = Trigger.key(number)
    if isDown {
      _ = strike(trigger, 127, Pedals.noChannel)
    } else if pedals.isDown(trigger) {
      lift(trigger)
    }
  }

  /// Lifts the MIDI triggers that are down: what they hold ends, and no press is completed.
  @_noLocks
  mutating func liftMIDIPedals() {
    for place in 0..<Trigger.midi {
      let trigger = Trigger(place: place)
      if !pedals.isDown(trigger) { continue }
      pedals.forget(trigger)
      lift(trigger, isAssumed: true)
    }
  }

  @_noLocks
  private mutating func learn(_ trigger: Trigger, _ value: UInt8, _ channel: UInt8) {
    pedals.note(trigger, value: value, channel: channel)
    if pedals.isFound { return }
    pedals.find()
    tell(.learnt(trigger, value: value, channel: channel))
  }

  // MARK: - Actions

  /// Performs the actions of presses that were decided by time.
  @_noLocks
  mutating func judgePresses() {
    if !pedals.isWaiting { return }
    while let due = pedals.nextDue(at: present, pressTimes) { fire(due.trigger, due.press) }
  }

  @_noLocks
  private mutating func fire(_ trigger: Trigger, _ press: UInt8) {
    guard press != 0, let map = pedals.map else { return }
    let told = map.told(trigger) & press
    var bit: UInt8 = 1
    while bit <= PressBits.double {
      if press & bit != 0 { perform(map, map.actions(trigger, bit)) }
      bit &<<= 1
    }
    if told != 0 { tell(.pressed(trigger, told, value: pedals.value(of: trigger))) }
  }

  @_noLocks
  private mutating func perform(_ map: PressMapPointer, _ places: (first: Int, end: Int)) {
    var place = places.first
    while place < places.end {
      let action = map[place]
      place &+= 1
      // An action that can't be reported to the control side is not performed.
      guard actionsLeft > 0, shared.presses.hasRoom else {
        shared.presses.lose()
        continue
      }
      actionsLeft &-= 1
      let command = action.deed.command(at: values)
      commands.budget.spend(command)
      apply(command, from: .binding(action.binding))
    }
  }

  @_noLocks
  func tell(_ kind: PressNews.Kind) {
    shared.presses.push(
      PressNews(kind, frame: present, eventsBefore: shared.events.writtenCount))
  }

  // MARK: - Lights

  /// Returns the activity of a loop, from 0, and the queued one.
  @_noLocks
  func loopActivity(_ slot: Int) -> (now: LoopActivity, toCome: LoopActivity?) {
    guard slot < loops.count else { return (.empty, nil) }
    let player = loops.slot(slot)
    return (player.pointee.activity, player.pointee.activityToCome)
  }

  /// Sends the lights that have changed.
  @_noLocks
  mutating func turnLights(isFirst: Bool) {
    guard let map = lights.begin(isFirst: isFirst) else { return }
    lights.darkenOld(map, &outbox)
    if lights.isDark { return }
    var index = 0
    while index < map.count {
      let trigger = map[index].trigger
      var channel = pedals.channel(of: trigger)
      if channel > 15 { channel = map[index].channel }
      if channel > 15 { channel = 0 }
      var value = map.off
      // Lights of one trigger are one light. The first one that is lit counts.
      while index < map.count, map[index].trigger.place == trigger.place {
        if value == map.off { value = self.value(of: map[index].meaning, map) }
        index &+= 1
      }
      lights.show(Int(trigger.place), value, channel, &outbox)
    }
  }

  @_noLocks
  private func value(of meaning: PedalLight.Meaning, _ map: LightMapPointer) -> UInt8 {
    switch meaning {
    case .fixed(let isLit): return isLit ? map.on : map.off
    case .parameter(let parameter, let value):
      let present = values[parameter]
      return present >= value && present <= value ? map.on : map.off
    case .beat: return isBeatLit ? map.on : map.off
    case .loop(let slot, let light):
      let (now, toCome) = loopActivity(Int(slot))
      let steady = color(of: light, now, map)
      guard let toCome, light.blinks(from: now, to: toCome) else { return steady }
      if !isBlinkLit { return map.off }
      // A queued activity has its own color, and an ending one keeps its color.
      return light.isLit(toCome) ? color(of: light, toCome, map) : steady
    }
  }

  /// Returns the value of a loop's light for an activity.
  ///
  /// With colors the pedal's light shows them all.
  @_noLocks
  private func color(
    of light: LoopLight, _ activity: LoopActivity, _ map: LightMapPointer
  ) -> UInt8 {
    let color = map.color(of: activity)
    if light.isLit(activity) { return color == 0 ? map.on : color }
    if case .pedal = light, color != 0 { return color }
    return map.off
  }

  private var isBeatLit: Bool {
    @_noLocks get { loops.time.pointee.beats.share(at: present, of: 1) < 0.5 }
  }

  // More than three flashes per second are unsafe. Above 180 BPM only every second beat flashes.
  private var isBlinkLit: Bool {
    @_noLocks get {
      loops.time.pointee.beats.share(
        at: present, of: values[.beat(.tempo)] > 180 ? 2 : 1) < 0.5
    }
  }
}
