package import Dropouts
internal import OSC

/// The warnings about the machine, before they cost sound.
package final class Warnings: Feature {
  // Heat and a filling disk take longer; in microseconds.
  private static let period = 5e6

  private let context: Context
  private let worker = Worker("machine", isAwaited: false)
  private var list = MachineWarnings()
  private var read: (@Sendable () -> MachineState)?
  private var whenNew: (String) -> Void = { _ in }
  private var next = 0.0

  init(_ context: Context) { self.context = context }

  var workers: [Worker] { [worker] }

  /// Reads the state of the machine from now on, on a thread of its own.
  ///
  /// `whenNew` receives the text of each new warning.
  package func begin(
    _ read: @escaping @Sendable () -> MachineState, _ whenNew: @escaping (String) -> Void
  ) {
    (self.read, self.whenNew) = (read, whenNew)
  }

  func poll(_ now: Double) -> Int? {
    guard let read else { return nil }
    if now >= next, worker.count == 0 {
      next = now + Self.period
      worker.run { () throws(Refusal) in
        read()
      } then: { [weak self] outcome in
        if case .success(let state) = outcome { self?.follow(state) }
      }
    }
    return max(1, Int((next - now) / 1e3))
  }

  private func follow(_ state: MachineState) {
    let (new, gone) = list.update(state)
    for warning in new {
      whenNew(warning.text)
      context[Speech.self].tellFault(warning.text)
      context.announce(Self.warning, Self.row(warning))
    }
    for kind in gone { context.announce(Self.warning, Argument.row(kind.rawValue, "")) }
  }

  func sendInitialState(_ snapshot: InitialSnapshot) {
    guard snapshot.wants(Self.warning.path) else { return }
    for warning in list.present { snapshot.send(Self.warning.path, Self.row(warning)) }
  }

  fileprivate func answer(_ request: Request) {
    request.answer(list.present, Self.warning, end: Self.end, row: Self.row)
  }

  private static func row(_ warning: MachineWarning) -> [Argument] {
    Argument.row(warning.kind.rawValue, warning.text)
  }
}

extension Warnings {
  private static let warning = Event(
    "/warning", "ss",
    "Reply to /status/warnings, and sent to subscribers once for each: s:governor, realtime, disk, "
      + "temperature, voltage or clock s:text, which is empty when the cause has gone")
  private static let end = Event(
    "/warnings/end", "i", "End of the replies to /status/warnings: number of warnings")

  static let addresses: [Address] = [
    Address(
      "/status/warnings", Declaring<Warnings>.question(end: end, Warnings.answer),
      "Lists what is wrong with the machine and may cost sound: replies /warning for each, then "
        + "/warnings/end i:count"),
    Address(warning), Address(end),
  ]
}
