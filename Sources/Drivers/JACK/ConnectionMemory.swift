/// A connection of one of the node's ports.
package struct JackConnection: Hashable, Sendable {
  /// The node's port, without the client's name.
  package let own: String
  /// The other port, whole.
  package let other: String

  /// A connection by the names of its ports.
  package init(own: String, other: String) {
    self.own = own
    self.other = other
  }
}

/// The connections of the node's ports, and those that they shall have again as soon as the other
/// port is there: because that went away, or the server did, or the node itself.
///
/// A server that dies may break its connections one by one before it is seen to be gone, and so does
/// a client that ends. What is lost while both ports are there is taken away by somebody only when
/// they still are a moment later.
struct ConnectionMemory {
  /// How long both ports must outlive their connection for it not to be wanted, in microseconds.
  static let lastMoments = 1_000_000.0
  // What went away may never come back: the oldest is forgotten.
  static let mostWanted = 256

  private var present: Set<JackConnection> = []
  // Since when those are lost whose ports are both there.
  private var lost: [JackConnection: Double] = [:]
  // The node's own that had a connection at any time.
  private var connectedPorts: Set<String>
  /// The connections to be made as soon as both ports are there, the oldest first.
  private(set) var wanted: [JackConnection]

  /// A memory of what was there before.
  ///
  /// `connectedPorts` are the node's own that had a connection at any time.
  init(_ wanted: [JackConnection] = [], connectedPorts: Set<String> = []) {
    self.wanted = wanted.suffix(Self.mostWanted)
    self.connectedPorts = connectedPorts.union(wanted.map(\.own))
  }

  /// All that is connected, or shall be.
  var kept: [JackConnection] {
    wanted
      + present.union(lost.keys).sorted {
        ($0.own, $0.other) < ($1.own, $1.other)
      }
  }

  /// Whether something was lost, and it is not known yet why.
  var isInDoubt: Bool { !lost.isEmpty }

  /// Whether one of the node's ports has a connection, or had one at any time.
  func hasHadConnection(of ports: Set<String>) -> Bool { !ports.isDisjoint(with: connectedPorts) }

  /// Whether some of the node's ports have no connection, and all that they shall have wait.
  func isWaiting(for ports: Set<String>) -> Bool {
    wanted.contains { ports.contains($0.own) }
      && !present.union(lost.keys).contains { ports.contains($0.own) }
  }

  /// Follows ports that have other names now, as pairs of an old and a new one.
  mutating func rename(_ names: [(old: String, new: String)]) {
    for (old, new) in names {
      func renamed(_ link: JackConnection) -> JackConnection {
        link.other == old ? JackConnection(own: link.own, other: new) : link
      }
      present = Set(present.map(renamed))
      lost = Dictionary(lost.map { (renamed($0), $1) }, uniquingKeysWith: max)
      wanted = wanted.map(renamed)
    }
  }

  /// Updates the memory with what is connected now.
  ///
  /// `changed` has the names of ports that have come or gone since the last time: such a port is
  /// another one, though there is one of that name.
  mutating func update(
    _ links: Set<JackConnection>, changed: Set<String>, now: Double, isThere: (String) -> Bool
  ) {
    for link in present.subtracting(links) { lost[link] = now }
    for link in links { lost[link] = nil }
    for (link, since) in lost {
      if changed.contains(link.other) || !isThere(link.other) {
        want([link])
      } else if now - since > Self.lastMoments {
        lost[link] = nil
      }
    }
    wanted.removeAll(where: links.contains)
    present = links
    connectedPorts.formUnion(links.map(\.own))
  }

  /// Notes that the server is gone.
  mutating func serverIsGone(now: Double) {
    want(present.union(lost.filter { now - $0.value <= Self.lastMoments }.keys))
    present = []
    lost = [:]
  }

  private mutating func want(_ links: Set<JackConnection>) {
    for link in links.sorted(by: { ($0.own, $0.other) < ($1.own, $1.other) }) {
      lost[link] = nil
      if !wanted.contains(link) { wanted.append(link) }
    }
    wanted.removeFirst(max(0, wanted.count - Self.mostWanted))
  }
}
