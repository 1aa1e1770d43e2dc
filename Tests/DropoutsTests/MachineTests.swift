import Foundation
import TestSupport
import Testing

@testable import Dropouts

/// The state of a machine, from the files of its kernel, and the warnings about it.
@Suite struct MachineTests {
  private let folder = try! TemporaryFolder()

  /// Writes a file of the kernel.
  private func write(_ path: String, _ text: String) throws {
    let url = folder.url.appendingPathComponent(path)
    try FileManager.default.createDirectory(
      at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data("\(text)\n".utf8).write(to: url)
  }

  private func state() -> MachineState { MachineReader(root: folder.url.path).state(home: nil) }

  @Test func `a machine without sensors has no fault`() {
    let state = state()
    #expect(state.governor == nil && state.frequency == nil && state.temperature == nil)
    #expect(!state.isUndervolted && !state.isThrottled && state.freeBytes == nil)
  }

  @Test func `the slowest CPU counts, and any governor but performance`() throws {
    for (cpu, governor, frequency) in [(0, "performance", 3_600_000), (1, "powersave", 900_000)] {
      let path = "sys/devices/system/cpu/cpu\(cpu)/cpufreq"
      try write("\(path)/scaling_governor", governor)
      try write("\(path)/scaling_cur_freq", "\(frequency)")
      try write("\(path)/cpuinfo_max_freq", "3600000")
    }
    try write("sys/devices/system/cpu/cpufreq/boost", "1")
    #expect(state().governor == "powersave" && state().frequency == 0.25)
  }

  @Test func `a Raspberry Pi reports low voltage and heat in two places`() throws {
    try write("sys/class/hwmon/hwmon1/name", "rpi_volt")
    try write("sys/class/hwmon/hwmon1/in0_lcrit_alarm", "0")
    #expect(!state().isUndervolted)
    try write("sys/class/hwmon/hwmon1/in0_lcrit_alarm", "1")
    #expect(state().isUndervolted && !state().isThrottled)
    try write("sys/class/hwmon/hwmon1/in0_lcrit_alarm", "0")
    // Bits of the past, from 16 on, are not of now.
    try write("sys/devices/platform/soc/soc:firmware/get_throttled", "0x50004")
    #expect(!state().isUndervolted && state().isThrottled)
    try write("sys/devices/platform/soc/soc:firmware/get_throttled", "50001")
    #expect(state().isUndervolted && !state().isThrottled)
  }

  @Test func `the sensor closest to its critical temperature counts`() throws {
    try write("sys/class/thermal/thermal_zone0/temp", "61000")
    try write("sys/class/thermal/thermal_zone0/trip_point_0_type", "passive")
    try write("sys/class/thermal/thermal_zone0/trip_point_0_temp", "50000")
    try write("sys/class/thermal/thermal_zone0/trip_point_1_type", "critical")
    try write("sys/class/thermal/thermal_zone0/trip_point_1_temp", "110000")
    #expect(state().temperature == 61 && state().critical == 110)
    try write("sys/class/hwmon/hwmon0/name", "coretemp")
    try write("sys/class/hwmon/hwmon0/temp2_input", "91000")
    try write("sys/class/hwmon/hwmon0/temp2_crit", "100000")
    // A chip that reports nonsense.
    try write("sys/class/hwmon/hwmon0/temp3_input", "25000")
    try write("sys/class/hwmon/hwmon0/temp3_crit", "0")
    #expect(state().temperature == 91 && state().critical == 100)
  }

  @Test func `the disk of a folder has room`() throws {
    let state = MachineReader().state(home: folder.url.path)
    #expect(try #require(state.freeBytes) > 0 && state.diskBytes >= state.freeBytes ?? 0)
  }

  // MARK: - Warnings

  @Test func `each warning is new once, and again after its cause had gone`() {
    var warnings = MachineWarnings()
    var state = MachineState()
    #expect(warnings.update(state).new.isEmpty)
    state.governor = "powersave"
    state.mayBeRealtime = false
    state.isUndervolted = true
    let first = warnings.update(state).new
    #expect(first.map(\.kind) == [.governor, .realtime, .voltage])
    #expect(first[0].text.contains("powersave"))
    #expect(warnings.update(state).new.isEmpty && warnings.present == first)
    state.isUndervolted = false
    #expect(warnings.update(state).gone == [.voltage])
    state.isUndervolted = true
    #expect(warnings.update(state).new.map(\.kind) == [.voltage])
  }

  @Test func `a disk is nearly full below a gigabyte and a tenth, and no more with some more room`()
  {
    var warnings = MachineWarnings()
    var state = MachineState()
    (state.freeBytes, state.diskBytes) = (0.9e9, 2e9)
    #expect(warnings.update(state).new.isEmpty)
    (state.freeBytes, state.diskBytes) = (0.9e9, 100e9)
    #expect(
      warnings.update(state).new.map(\.text) == [
        "the disk is nearly full: 900 MB are free, 39 minutes of stereo; delete takes, or empty the trash"
      ])
    state.freeBytes = 1.05e9
    #expect(warnings.update(state) == ([], []))
    state.freeBytes = 1.2e9
    #expect(warnings.update(state).gone == [.disk])
  }

  @Test func `a temperature warns near the critical one, and no more when it has fallen further`() {
    var warnings = MachineWarnings()
    var state = MachineState()
    (state.temperature, state.critical) = (89, 100)
    #expect(warnings.update(state).new.isEmpty)
    state.temperature = 91
    #expect(warnings.update(state).new.map(\.kind) == [.temperature])
    state.temperature = 86
    #expect(warnings.update(state) == ([], []))
    state.temperature = 80
    #expect(warnings.update(state).gone == [.temperature])
  }

  @Test func `a jump of the wall clock warns, and its corrections don't`() {
    var warnings = MachineWarnings()
    var state = MachineState()
    state.wallLead = 1e15
    #expect(warnings.update(state).new.isEmpty)
    state.wallLead += 0.4e6
    #expect(warnings.update(state).new.isEmpty)
    state.wallLead += 3600e6
    let jump = warnings.update(state).new
    #expect(jump.map(\.kind) == [.clock] && jump[0].text.hasPrefix("the wall clock jumped 3600 s"))
    #expect(warnings.update(state) == ([], []) && warnings.present == jump)
    state.wallLead -= 7.25e6
    #expect(warnings.update(state).new.first?.text.contains("7.3 s back") ?? false)
  }
}

private func == (
  one: (new: [MachineWarning], gone: [MachineWarning.Kind]),
  other: ([MachineWarning], [MachineWarning.Kind])
) -> Bool { one.new == other.0 && one.gone == other.1 }
