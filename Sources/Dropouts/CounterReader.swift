internal import Glibc
internal import Posix

/// Reads the kernel's counters.
package struct CounterReader {
  // The most threads of one process that are read: more are not all of an audio program's interest.
  private static let mostThreads = 32
  private static let ticksPerSecond = Double(max(1, sysconf(Int32(_SC_CLK_TCK))))

  private let root: String
  private let ownProcess: Int32
  // `throttle` counts of the CPUs; none on most machines.
  private let throttleFiles: [String]

  /// Creates a reader; `root` replaces `/` in tests.
  package init(root: String = "") {
    self.root = root
    ownProcess = Environment.processID
    let cpus = "\(root)/sys/devices/system/cpu"
    throttleFiles = Files.names(in: cpus).filter { $0.hasPrefix("cpu") }.map {
      "\(cpus)/\($0)/thermal_throttle/core_throttle_count"
    }.filter(Files.exist)
  }

  /// Reads all counters: of the node's audio thread, of the sound server, and of other clients.
  package func sample(audioThread: Int32, server: Int32?, clients: [Int32: String]) -> Sample {
    var sample = Sample()
    sample.time = HostTime.steady
    sample.own = thread(audioThread, of: ownProcess) ?? ThreadCounters()
    sample.server = server.map { process($0, name: "the sound server") }
    sample.clients = clients.sorted { $0.key < $1.key }.map { process($0.key, name: $0.value) }
    sample.system = system()
    return sample
  }

  /// Reads the counters of the machine.
  package func system() -> SystemCounters {
    var counters = SystemCounters()
    counters.parse(stat: bytes("proc/stat"), ticksPerSecond: Self.ticksPerSecond)
    counters.parse(vmstat: bytes("proc/vmstat"))
    counters.processorStall = SystemCounters.stall(bytes("proc/pressure/cpu"))
    counters.diskStall = SystemCounters.stall(bytes("proc/pressure/io"))
    counters.memoryStall = SystemCounters.stall(bytes("proc/pressure/memory"))
    counters.suspended = HostTime.suspended
    counters.continues = Continues.current
    for file in throttleFiles {
      counters.throttles += Files.read(file).flatMap { Int($0.prefix { $0 != "\n" }) } ?? 0
    }
    return counters
  }

  /// Reads the counters of a process.
  func process(_ id: Int32, name: String) -> ProcessCounters {
    var result = ProcessCounters(id: id, name: name)
    for thread in Files.names(in: "\(root)/proc/\(id)/task").prefix(Self.mostThreads) {
      guard let number = Int32(thread) else { continue }
      result.threads[number] = self.thread(number, of: id)
    }
    return result
  }

  /// Reads the counters of a thread; nil if it has ended.
  func thread(_ number: Int32, of process: Int32) -> ThreadCounters? {
    let folder = "proc/\(process)/task/\(number)"
    let times = bytes("\(folder)/schedstat")
    guard !times.isEmpty else { return nil }
    return ThreadCounters(
      schedstat: times, stat: bytes("\(folder)/stat"), ticksPerSecond: Self.ticksPerSecond)
  }

  /// Reads a file of the kernel; empty if there is none.
  private func bytes(_ path: String) -> [UInt8] { Files.bytes("\(root)/\(path)") }
}
