internal import DSP
internal import Synchronization

/// Pedals: what is pressed by foot, and the lights that show what came of it.
extension Core {
  /// The number that answers of bound actions have in the place of a command's, with their binding.
  private static var firstBound: UInt64 { @_noLocks get { .max &- 0xFFFF } }
  // More in a block than feet can do: what is beyond that is lost, and counted.
  private static var mostActions: Int { @_noLocks get { 256 } }

  /// Begins a block.
  @_noLocks
  mutating func beginPedals() { actionsLeft = Self.mostActions }

  // MARK: - What comes in

  /// Follows a message from a pedal; whether it means nothing else.
  @_noLocks
  mutating func followPedal(_ event: MIDIEvent) -> Bool {
    let (first, second) = (event.first & 127, event.second & 127)
    let channel = event.status & 15
    switch event.status & 0xF0 {
    case 0x90 where second > 0: return strike(.note(first), second, channel)
    case 0x80, 0x90:
      guard pedals.isDown(.note(first)) else { return false }
      lift(.note(first))
      return true
    case 0xC0:
      // Nothing says when the foot is lifted.
      guard strike(.program(first), 127, channel) else { return false }
      if pedals.isDown(.program(first)) { lift(.program(first)) }
      return true
    case 0xB0:
      turnPedal(.controller(first), second, channel)
      return false
    default: return false
    }
  }

  /// Presses a trigger, or learns it; false where it means nothing.
  @_noLocks
  private mutating func strike(_ trigger: Trigger, _ value: UInt8, _ channel: UInt8) -> Bool {
    if pedals.isWanted(trigger) {
      learn(trigger, value, channel)
      pedals.hold(trigger)
      return true
    }
    guard pedals.isBound(trigger) else { return false }
    pedals.note(trigger, value: value, channel: channel)
    fire(trigger, pedals.press(trigger, at: present))
    return true
  }

  @_noLocks
  private mutating func lift(_ trigger: Trigger) {
    fire(trigger, pedals.lift(trigger, at: present))
  }

  /// Follows a controller as a pedal, which is pressed from the middle on.
  ///
  /// One that sends the same value again is a button that never says when it is lifted.
  @_noLocks
  private mutating func turnPedal(_ trigger: Trigger, _ value: UInt8, _ channel: UInt8) {
    if pedals.isWanted(trigger) {
      learn(trigger, value, channel)
      // It acts only when it has come back.
      if value > 0 { pedals.hold(trigger) } else if pedals.isDown(trigger) { lift(trigger) }
      pedals.note(trigger, value: value, channel: channel)
      return
    }
    guard pedals.isBound(trigger) || pedals.isDown(trigger) else { return }
    let last = pedals.value(of: trigger)
    pedals.note(trigger, value: value, channel: channel)
    if pedals.isDown(trigger), value < 64 ? value < last : value == last { lift(trigger) }
    if value >= 64, !pedals.isDown(trigger), pedals.isBound(trigger) {
      fire(trigger, pedals.press(trigger, at: present))
    }
  }

  /// Follows a key of a pedal that speaks as a keyboard.
  @_noLocks
  mutating func followKey(_ number: UInt16, isDown: Bool) {
    let trigger = Trigger.key(number)
    if isDown {
      _ = strike(trigger, 127, Pedals.noChannel)
    } else if pedals.isDown(trigger) {
      lift(trigger)
    }
  }

  @_noLocks
  private mutating func learn(_ trigger: Trigger, _ value: UInt8, _ channel: UInt8) {
    pedals.note(trigger, value: value, channel: channel)
    if pedals.isFound { return }
    pedals.find()
    tell(.learnt(trigger, value: value, channel: channel))
  }

  // MARK: - What it comes to

  /// Does what presses come to that are known by now.
  @_noLocks
  mutating func judgePresses() {
    while let due = pedals.nextDue(at: present) { fire(due.trigger, due.press) }
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
      // What can't be told can't be done: the control side would have another picture of it.
      guard actionsLeft > 0, shared.presses.hasRoom else {
        shared.presses.lose()
        continue
      }
      actionsLeft &-= 1
      let number = Self.firstBound &+ UInt64(action.binding)
      switch action.deed {
      case .command(let command):
        budget.spend(command)
        apply(command, number: number, wasTimed: false)
      case .toggle(let parameter, let first, let second):
        let present = values[parameter.number]
        let isFirst = present >= first && present <= first
        apply(.set(parameter, isFirst ? second : first), number: number, wasTimed: false)
      case .step(let parameter, let step, let count):
        let next = (Int(values[parameter.number]) &+ step &+ count) % count
        apply(.set(parameter, Float(next)), number: number, wasTimed: false)
      }
    }
  }

  @_noLocks
  private func tell(_ kind: PressNews.Kind) {
    shared.presses.push(
      PressNews(kind, frame: present, eventsBefore: shared.events.writtenCount))
  }

  /// Tells what became of a bound action; false where the number is a command's.
  @_noLocks
  func answerBound(_ kind: Event.Kind, _ number: UInt64) -> Bool {
    guard number >= Self.firstBound else { return false }
    tell(.answered(binding: UInt16(truncatingIfNeeded: number &- Self.firstBound), kind))
    return true
  }

  // MARK: - Lights

  /// The activity of a loop, from 0, and the one that waits for its beat or its sound.
  @_noLocks
  func loopActivity(_ slot: Int) -> (now: LoopActivity, toCome: LoopActivity?) {
    guard slot < loops.count else { return (.empty, nil) }
    let player = loops.slot(slot)
    return (player.pointee.activity, player.pointee.activityToCome)
  }

  /// Sends the lights that are others than before.
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
      // Those of one trigger are one light: the first that is lit counts.
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
      let present = values[parameter.number]
      return present >= value && present <= value ? map.on : map.off
    case .beat: return isBeatLit ? map.on : map.off
    case .loop(let slot, let light):
      let (now, toCome) = loopActivity(Int(slot))
      let steady = color(of: light, now, map)
      guard let toCome, light.blinks(from: now, to: toCome) else { return steady }
      if !isBlinkLit { return map.off }
      // What will be lit shows its own color; what ends keeps the color that it has.
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

  // Three flashes a second are the most that eyes should see: above 180 beats a minute every second
  // beat is one.
  private var isBlinkLit: Bool {
    @_noLocks get {
      loops.time.pointee.beats.share(
        at: present, of: values[Parameter.beat(.tempo).number] > 180 ? 2 : 1) < 0.5
    }
  }
}
