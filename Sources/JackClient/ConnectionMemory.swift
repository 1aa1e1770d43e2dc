/// Which ports the node was connected to, so that it can be so again.
///
/// A server that dies may break its connections one by one before it is seen to be gone. So what
/// was lost in its last moments counts as connected still.
struct ConnectionMemory {
  /// A connection of one of the node's ports.
  struct Link: Hashable {
    /// The node's port, without the client's name.
    let ours: String
    /// The other port, whole.
    let theirs: String
  }

  /// How long before the end a connection may have been lost, in microseconds.
  static let lastMoments = 1_000_000.0

  private var present: Set<Link> = []
  private var lost: [Link: Double] = [:]
  /// What was connected when the server went, and is not yet again.
  private(set) var wanted: Set<Link> = []

  /// Takes what is connected now.
  mutating func update(_ links: Set<Link>, now: Double) {
    for link in present.subtracting(links) { lost[link] = now }
    for link in links { lost[link] = nil }
    lost = lost.filter { now - $0.value <= Self.lastMoments }
    present = links
    wanted.subtract(links)
  }

  /// Notes that the server is gone.
  mutating func serverIsGone(now: Double) {
    wanted.formUnion(present)
    for (link, time) in lost where now - time <= Self.lastMoments { wanted.insert(link) }
    present = []
    lost = [:]
  }
}
