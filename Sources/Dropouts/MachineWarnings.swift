internal import Posix

/// The warnings about the machine: each is new once, until its cause has gone.
package struct MachineWarnings: Sendable {
  // Below both, a disk is nearly full: 40 minutes of stereo.
  private static let fewBytes = 1e9
  private static let smallShare = 0.1
  // A cause has gone when there is this much more room.
  private static let margin = 1.1
  // Sensors lag behind the chip, in °C.
  private static let nearCritical = 10.0
  private static let coolAgain = 15.0
  // Corrections by network time are smaller, in microseconds.
  private static let leap = 1e6

  /// The present warnings.
  package private(set) var present: [MachineWarning] = []
  private var wallLead: Double?

  /// Creates an empty list.
  package init() {}

  /// Follows the state of the machine.
  ///
  /// Returns the new warnings, and the kinds of those whose cause has gone.
  package mutating func update(
    _ state: MachineState
  ) -> (new: [MachineWarning], gone: [MachineWarning.Kind]) {
    var now = Self.lasting(
      state,
      isWarned: { [present] kind in
        present.contains { $0.kind == kind }
      })
    // A jump is over at once, and stays in the list.
    let jump = wallLead.map { state.wallLead - $0 } ?? 0
    wallLead = state.wallLead
    if abs(jump) >= Self.leap {
      now.append(MachineWarning(.clock, Self.text(ofJump: jump / 1e6)))
    } else if let old = present.first(where: { $0.kind == .clock }) {
      now.append(old)
    }
    let before = present
    present = now.map { warning in
      // The figures of a present warning may change; its text doesn't.
      warning.kind == .clock ? warning : before.first { $0.kind == warning.kind } ?? warning
    }
    return (
      present.filter { !before.contains($0) },
      before.map(\.kind).filter { kind in !present.contains { $0.kind == kind } }
    )
  }

  private static func lasting(
    _ state: MachineState, isWarned: (MachineWarning.Kind) -> Bool
  ) -> [MachineWarning] {
    var result: [MachineWarning] = []
    func add(_ kind: MachineWarning.Kind, _ text: String) {
      result.append(MachineWarning(kind, text))
    }
    if let governor = state.governor {
      add(
        .governor,
        "the CPU governor is \(governor), which may cause xruns; performance doesn't")
    }
    if !state.mayBeRealtime {
      add(
        .realtime,
        "real-time scheduling is not allowed, so other programs will cause xruns; "
          + "`syrinx doctor` shows how to allow it")
    }
    if let free = state.freeBytes {
      let room = isWarned(.disk) ? margin : 1
      if free < fewBytes * room, free < smallShare * state.diskBytes * room {
        add(
          .disk,
          "the disk is nearly full: \(Int(free / 1e6)) MB are free, \(Int(free / 384_000 / 60)) "
            + "minutes of stereo; delete takes, or empty the trash")
      }
    }
    if let celsius = state.temperature {
      let distance = isWarned(.temperature) ? coolAgain : nearCritical
      if state.isThrottled || celsius >= state.critical - distance {
        add(
          .temperature,
          "the CPU is at \(Int(celsius.rounded())) °C, and is throttled or switched off at "
            + "\(Int(state.critical.rounded())) °C; it needs air")
      }
    } else if state.isThrottled {
      add(.temperature, "the CPU is throttled because of heat; it needs air")
    }
    if state.isUndervolted {
      add(
        .voltage,
        "the supply voltage is too low, which slows the CPU down; use another power supply or cable"
      )
    }
    return result
  }

  private static func text(ofJump seconds: Double) -> String {
    let size = abs(seconds)
    let text = size < 100 ? "\((size * 10).rounded() / 10)" : "\(Int(min(size, 1e15).rounded()))"
    return "the wall clock jumped \(text) s \(seconds > 0 ? "ahead" : "back"); bundles with "
      + "times and the dates of takes follow it"
  }
}
