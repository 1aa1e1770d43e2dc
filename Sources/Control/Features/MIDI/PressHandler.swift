internal import Engine
internal import OSC

/// Handles presses that the audio thread can't handle by itself.
struct PressHandler {
  /// The list addresses of values that are names.
  static let lists = [
    "/preset": "/presets", "/grid/instrument": "/instruments", "/grid/scale": "/scales",
  ]

  let context: Context

  /// Sends the message of a binding, if these presses include its own.
  func press(_ binding: Binding, _ presses: UInt8, _ value: Int) {
    let path = binding.path
    guard let address = context.table.resolve(path)?.address else { return }
    func send(_ value: Int) {
      if let argument = address.argument(pressedBy: value, at: path) { perform(path, [argument]) }
    }
    if binding.press == .hold {
      if presses & PressBits.down != 0 { send(max(1, value)) }
      if presses & PressBits.up != 0 { send(0) }
      return
    }
    guard presses & binding.press.bits != 0 else { return }
    switch binding.sending {
    case .nothing where address.isHeld:
      send(127)
      send(0)
    case .nothing: perform(path, [])
    case .arguments(let arguments): perform(path, arguments)
    case .toggle:
      guard let ends = address.ends else { return }
      let present = context.values(of: address)?.first?.number ?? 0
      perform(path, [Self.toggled(Float(present), ends)])
    case .next: step(address, path, by: 1)
    case .previous: step(address, path, by: -1)
    }
  }

  private static func toggled(_ present: Float, _ ends: (low: Argument, high: Argument)) -> Argument
  {
    guard let low = ends.low.number, let high = ends.high.number else { return ends.high }
    let value = PressValue.toggled(present, between: Float(high), and: Float(low))
    return value == Float(high) ? ends.high : ends.low
  }

  private func step(_ address: Address, _ path: String, by step: Int) {
    let list = Self.lists[path].flatMap { context.table[$0] }
    let names = address.words ?? list.flatMap { context.values(of: $0) }?.compactMap(\.text)
    guard let names, !names.isEmpty else { return }
    let present = context.values(of: address)?.first?.text
    let place = present.flatMap { names.firstIndex(of: $0) }
    perform(path, [.string(names[PressValue.stepped(from: place, by: step, of: names.count)])])
  }

  /// Sends a message, and reports its refusal to subscribers.
  func perform(_ path: String, _ arguments: [Argument]) {
    do throws(Refusal) {
      try context.perform(path, arguments, isPressed: true)
    } catch {
      context.report(error, of: path)
    }
  }
}
