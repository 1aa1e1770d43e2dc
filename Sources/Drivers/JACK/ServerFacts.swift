internal import CJack
internal import Engine
internal import Posix
internal import Synchronization

/// Port changes since the link's thread last processed them.
struct PortNews: Sendable {
  /// The names of ports that were registered or unregistered.
  var changed: Set<String> = []
  /// The renamed ports, in order.
  var renamed: [(old: String, new: String)] = []
}

/// The state of the server as reported by JACK's callbacks: they write, other threads read.
///
/// Each value is independent, hence relaxed ordering throughout.
final class ServerFacts: Sendable {
  let isRunning = Atomic<Bool>(false)
  let isFreewheeling = Atomic<Bool>(false)
  let rate = Atomic<UInt32>(0)
  let block = Atomic<UInt32>(0)
  let load = Atomic<UInt32>(0)
  let xruns = Atomic<Int>(0)
  let longestXrun = Atomic<UInt32>(0)

  // The name of the last sound card.
  let card = Guarded("")
  /// The times of the latest buffers.
  let blocks = BlockLog()
  /// The names of the server's other clients.
  let otherClients = Guarded<Set<String>>([])

  let transportRole = Guarded(TransportRole())

  // Offset from the server's clock to the host's, in microseconds: the bits of a Double.
  let clockDifference = Atomic<UInt64>(0)

  // Count of changes to the node's ports or their connections.
  let portChanges = Atomic<Int>(0)

  // Whether the mix is connected.
  let isHeard = Atomic<Bool>(false)

  // The bits of the connected ports (`PortUse`); all until they are known.
  let connectedPorts = Atomic<UInt32>(PortUse.all.bits)

  // Set by callbacks, cleared by the link's thread.
  let isGone = Atomic<Bool>(false)
  let graphChanged = Atomic<Bool>(false)
  let portNews = Guarded(PortNews())

  /// The status that the node reports.
  var status: SoundServerStatus {
    var status = SoundServerStatus()
    status.isRunning = isRunning.load(ordering: .relaxed)
    status.rate = Int(rate.load(ordering: .relaxed))
    status.block = Int(block.load(ordering: .relaxed))
    status.card = card.withLock { $0 }
    status.load = Float(bitPattern: load.load(ordering: .relaxed))
    status.xruns = xruns.load(ordering: .relaxed)
    status.longestXrun = Float(bitPattern: longestXrun.load(ordering: .relaxed))
    status.lead = transportRole.withLock { $0.state }
    status.portChanges = portChanges.load(ordering: .relaxed)
    return status
  }

  /// Measures the offset between the server's clock and the host's: both are steady, but one may
  /// follow network time and the other not.
  func compareClocks() {
    let difference = HostTime.steady - Double(jack_get_time())
    clockDifference.store(difference.bitPattern, ordering: .relaxed)
  }

  /// Notes a change of ports or connections, on one of JACK's threads.
  ///
  /// All ports count as connected until the link's thread has read which are.
  func noteGraph() {
    graphChanged.store(true, ordering: .relaxed)
    // Last, so that the link's thread finds a change that comes while it processes one.
    connectedPorts.store(PortUse.all.bits, ordering: .releasing)
  }

  /// Sets which ports are connected, unless something has changed since they were read.
  func setConnected(_ ports: PortUse) {
    // Acquiring: replacing the value that `noteGraph` stored makes its change visible.
    _ = connectedPorts.exchange(ports.bits, ordering: .acquiringAndReleasing)
    if graphChanged.load(ordering: .relaxed) {
      connectedPorts.store(PortUse.all.bits, ordering: .relaxed)
    }
  }

  func countXrun(microseconds: Float) {
    xruns.add(1, ordering: .relaxed)
    longestXrun.max(max(0, microseconds).bitPattern, ordering: .relaxed)
  }
}
