internal import CJack
internal import Engine
internal import Posix
internal import Synchronization

/// The ports that changed since the link's thread last went through them.
struct PortNews: Sendable {
  /// The names of those that have come or gone.
  var changed: Set<String> = []
  /// The names that were others, in their order.
  var renamed: [(old: String, new: String)] = []
}

/// The facts that JACK's callbacks tell about the server; they write, whoever wants to know reads.
///
/// Each value stands for itself, hence relaxed throughout.
final class ServerFacts: Sendable {
  let isRunning = Atomic<Bool>(false)
  let isFreewheeling = Atomic<Bool>(false)
  let rate = Atomic<UInt32>(0)
  let block = Atomic<UInt32>(0)
  let load = Atomic<UInt32>(0)
  let xruns = Atomic<Int>(0)
  let longestXrun = Atomic<UInt32>(0)

  // Whether the transport shall have bars and beats from here; and what became of that.
  let wantsLead = Atomic<Bool>(false)
  let lead = Atomic<UInt8>(TransportLead.no.rawValue)

  // What to add to the server's microseconds to get the host's: bits of a Double.
  let clockDifference = Atomic<UInt64>(0)

  // How often the node's ports or their connections became others.
  let portChanges = Atomic<Int>(0)

  // Whether something is connected with the mix.
  let isHeard = Atomic<Bool>(false)

  // The bits of the ports that are connected (`PortUse`); all until that is known.
  let connectedPorts = Atomic<UInt32>(PortUse.all.bits)

  // Set by callbacks, taken by the link's thread.
  let isGone = Atomic<Bool>(false)
  let graphChanged = Atomic<Bool>(false)
  let portNews = Guarded(PortNews())

  /// The facts that the node reports.
  var status: SoundServerStatus {
    var status = SoundServerStatus()
    status.isRunning = isRunning.load(ordering: .relaxed)
    status.rate = Int(rate.load(ordering: .relaxed))
    status.block = Int(block.load(ordering: .relaxed))
    status.load = Float(bitPattern: load.load(ordering: .relaxed))
    status.xruns = xruns.load(ordering: .relaxed)
    status.longestXrun = Float(bitPattern: longestXrun.load(ordering: .relaxed))
    status.lead = leading
    status.portChanges = portChanges.load(ordering: .relaxed)
    return status
  }

  /// Compares the server's clock with the host's: both are steady, but one may follow the
  /// network's time and the other not.
  func compareClocks() {
    let difference = HostTime.steady - Double(jack_get_time())
    clockDifference.store(difference.bitPattern, ordering: .relaxed)
  }

  /// Notes on a thread of JACK's that ports or connections are others: all ports count as connected
  /// until the link's thread has seen which are.
  func noteGraph() {
    graphChanged.store(true, ordering: .relaxed)
    // Behind it: whoever takes a change for seen finds the next one.
    connectedPorts.store(PortUse.all.bits, ordering: .releasing)
  }

  /// Sets which ports are connected, unless something has changed since that was asked.
  func setConnected(_ ports: PortUse) {
    // Acquiring: whoever replaces what `noteGraph` stored sees that there was a change.
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
