internal import Posix

/// Reads the state of the machine.
package struct MachineReader: Sendable {
  // A GPU's or disk's sensor without a critical temperature says nothing.
  private static let leastCritical = 40.0
  // Bits of the Raspberry Pi's firmware: under-voltage; throttled; soft temperature limit.
  private static let (undervoltage, throttled, softLimit) = (1, 4, 8)

  private let root: String
  private let cpus: [String]
  private let firmware: String?
  // The readings of sensors with their critical values.
  private let sensors: [(input: String, critical: Double)]
  private let voltageAlarms: [String]

  /// Finds the sensors; `root` replaces `/` in tests.
  package init(root: String = "") {
    self.root = root
    let devices = "\(root)/sys/devices/system/cpu"
    cpus = Files.names(in: devices).filter { Self.isNumbered($0, "cpu") }.sorted()
      .map { "\(devices)/\($0)/cpufreq" }.filter(Files.exist)
    firmware = ["soc/soc:firmware/get_throttled", "soc:firmware/get_throttled"].map {
      "\(root)/sys/devices/platform/\($0)"
    }.first(where: Files.exist)
    sensors = Self.zones(root) + Self.monitors(root)
    voltageAlarms = Self.hardware(root).filter { Self.text("\($0)/name") == "rpi_volt" }
      .map { "\($0)/in0_lcrit_alarm" }
  }

  /// Reads what can make a buffer late.
  package func state() -> MachineState {
    var state = MachineState()
    for cpu in cpus {
      if let governor = Self.text("\(cpu)/scaling_governor"), governor != "performance" {
        state.governor = governor
      }
      if let present = Self.number("\(cpu)/scaling_cur_freq"),
        let highest = Self.number("\(cpu)/cpuinfo_max_freq"), highest > 0
      {
        state.frequency = min(state.frequency ?? 1, present / highest)
      }
    }
    state.isUndervolted = voltageAlarms.contains { Self.number($0) == 1 }
    if let text = firmware.flatMap(Self.text),
      let flags = Int(text.hasPrefix("0x") ? String(text.dropFirst(2)) : text, radix: 16)
    {
      if flags & Self.undervoltage != 0 { state.isUndervolted = true }
      state.isThrottled = flags & (Self.throttled | Self.softLimit) != 0
    }
    return state
  }

  /// Reads all, with the disk of a folder; nil if the node keeps nothing.
  ///
  /// May block on the disk.
  package func state(home: String?) -> MachineState {
    var state = state()
    for (input, critical) in sensors {
      guard let milli = Self.number(input) else { continue }
      let celsius = milli / 1000
      if state.temperature.map({ critical - celsius < state.critical - $0 }) ?? true {
        (state.temperature, state.critical) = (celsius, critical)
      }
    }
    if let home, let space = Files.space(at: home) {
      (state.freeBytes, state.diskBytes) = (Double(space.free), Double(space.size))
    }
    state.mayBeRealtime = Thread.mayBeRealtime
    state.wallLead = -HostTime.steadyOfUnixEpoch - HostTime.suspended
    return state
  }

  // MARK: - Sensors

  /// The thermal zones with a critical temperature.
  private static func zones(_ root: String) -> [(input: String, critical: Double)] {
    let folder = "\(root)/sys/class/thermal"
    return Files.names(in: folder).filter { isNumbered($0, "thermal_zone") }.compactMap { zone in
      let path = "\(folder)/\(zone)"
      let trip = (0..<16).first { text("\(path)/trip_point_\($0)_type") == "critical" }
      let critical = trip.flatMap { number("\(path)/trip_point_\($0)_temp") } ?? 0
      return critical > leastCritical * 1000 ? ("\(path)/temp", critical / 1000) : nil
    }
  }

  /// The sensors of monitoring chips with a critical temperature.
  private static func monitors(_ root: String) -> [(input: String, critical: Double)] {
    hardware(root).flatMap { path in
      Files.names(in: path).filter { $0.hasPrefix("temp") && $0.hasSuffix("_crit") }.compactMap {
        let critical = number("\(path)/\($0)") ?? 0
        guard critical > leastCritical * 1000 else { return nil }
        return ("\(path)/\($0.dropLast("_crit".count))_input", critical / 1000)
      }
    }
  }

  private static func hardware(_ root: String) -> [String] {
    let folder = "\(root)/sys/class/hwmon"
    return Files.names(in: folder).sorted().map { "\(folder)/\($0)" }
  }

  private static func isNumbered(_ name: String, _ prefix: String) -> Bool {
    name.hasPrefix(prefix) && Int(name.dropFirst(prefix.count)) != nil
  }

  private static func text(_ path: String) -> String? {
    Files.read(path)?.split(separator: "\n").first.map(String.init)
  }

  private static func number(_ path: String) -> Double? { text(path).flatMap { Double($0) } }
}
