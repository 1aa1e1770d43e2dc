internal import Engine
internal import OSC

/// Sends press maps to the audio thread.
///
/// The audio thread handles presses that amount to one command, on their frame. The control side handles
/// all others.
final class PressMapSender {
  // The maximum number of commands that a press sends on its frame. Further ones are sent a little later.
  private static let mostDirect = 16

  /// The bindings that the control side handles.
  private(set) var handled: [Trigger: [Binding]] = [:]
  private let context: Context
  private let maps: Handover<PressMap>
  // The paths of the audio thread's commands by the numbers of their actions, in this map and the previous
  // one.
  private var paths: [UInt16: String] = [:]
  private var formerPaths: [UInt16: String] = [:]
  private var nextNumber: UInt16 = 0

  init(_ context: Context) {
    self.context = context
    maps = Handover(context, path: MIDI.bindings)
  }

  /// Sends the map of bindings, and the kinds of triggers to learn from.
  ///
  /// Returns false if the command queue is full.
  func send(_ bindings: [Binding], learning kinds: UInt8) -> Bool {
    let map = makeMap(bindings)
    let learn = PlannedCommand(action: .learn(kinds))
    return (try? maps.send(map, by: .setPressMap(map.pointer), then: [learn])) != nil
  }

  /// The path of the action with a number, in this map or the previous one.
  func path(ofAction number: UInt16) -> String? { paths[number] ?? formerPaths[number] }

  private func makeMap(_ bindings: [Binding]) -> PressMap {
    var entries: [Trigger: PressMap.Entry] = [:]
    formerPaths = paths
    paths = [:]
    handled = [:]
    for binding in bindings where binding.press.bits != 0 {
      var entry = entries[binding.trigger] ?? PressMap.Entry(binding.trigger)
      entry.presses |= binding.press.bits
      if !add(binding, to: &entry) {
        entry.told |= binding.press.bits
        handled[binding.trigger, default: []].append(binding)
      }
      entries[binding.trigger] = entry
    }
    return PressMap(Array(entries.values))
  }

  /// Adds the action of a press.
  ///
  /// Returns false if the control side must handle it.
  private func add(_ binding: Binding, to entry: inout PressMap.Entry) -> Bool {
    func action(_ deed: BoundAction.Deed) -> BoundAction {
      nextNumber &+= 1
      paths[nextNumber] = binding.path
      return BoundAction(binding: nextNumber, deed)
    }
    if binding.press == .hold {
      guard entry.down.count < Self.mostDirect,
        let down = heldCommand(127, binding), let up = heldCommand(0, binding)
      else { return false }
      entry.down.append(action(.command(down)))
      entry.up.append(action(.command(up)))
      return true
    }
    guard let deed = deed(of: binding) else { return false }
    switch binding.press {
    case .short where entry.short.count < Self.mostDirect: entry.short.append(action(deed))
    case .long where entry.long.count < Self.mostDirect: entry.long.append(action(deed))
    case .double where entry.double.count < Self.mostDirect: entry.double.append(action(deed))
    default: return false
    }
    return true
  }

  private func heldCommand(_ value: Int, _ binding: Binding) -> Command.Action? {
    guard let address = context.table.resolve(binding.path)?.address,
      address.isPedal(at: binding.path),
      let argument = address.argument(pressedBy: value, at: binding.path)
    else { return nil }
    return command(binding.path, [argument])
  }

  /// The effect of a press in the audio thread; nil if that is not a single command.
  private func deed(of binding: Binding) -> BoundAction.Deed? {
    guard let address = context.table.resolve(binding.path)?.address else { return nil }
    switch binding.sending {
    case .toggle:
      guard let parameter = address.parameter, let ends = address.ends,
        let low = ends.low.number, let high = ends.high.number
      else { return nil }
      // Any other value toggles to the higher one.
      return .toggle(parameter, Float(high), Float(low))
    case .next, .previous:
      guard let parameter = address.parameter, let words = address.words else { return nil }
      return .step(parameter, by: binding.sending == .next ? 1 : -1, of: words.count)
    case .nothing:
      return address.isHeld ? nil : command(binding.path, []).map { .command($0) }
    case .arguments(let arguments):
      return command(binding.path, arguments).map { .command($0) }
    }
  }

  private func command(_ path: String, _ arguments: [Argument]) -> Command.Action? {
    guard let planned = context.dispatcher.planned(path, arguments), planned.count == 1,
      planned[0].whenDone == nil, planned[0].whenTaken == nil, planned[0].action.canBeBound
    else { return nil }
    return planned[0].action
  }
}
