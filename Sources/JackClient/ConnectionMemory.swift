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

/// Which connections the node's ports have, and which they shall have again as soon as the other
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
  /// What is to be made as soon as both ports are there, the oldest first.
  private(set) var wanted: [JackConnection]

  /// A memory of what was there before.
  init(_ wanted: [JackConnection] = []) { self.wanted = wanted.suffix(Self.mostWanted) }

  /// All that is connected, or shall be.
  var kept: [JackConnection] {
    wanted
      + present.union(lost.keys).sorted {
        ($0.own, $0.other) < ($1.own, $1.other)
      }
  }

  /// Whether something was lost, and it is not known yet why.
  var isInDoubt: Bool { !lost.isEmpty }

  /// Whether one of the node's ports has a connection, or shall have.
  func hasConnection(of ports: Set<String>) -> Bool { kept.contains { ports.contains($0.own) } }

  /// Takes what is connected now.
  ///
  /// `begun` has the names of ports that have come since the last time: such a port is another one,
  /// though it has the name of one that was connected.
  mutating func update(
    _ links: Set<JackConnection>, begun: Set<String>, now: Double, isThere: (String) -> Bool
  ) {
    for link in present.subtracting(links) { lost[link] = now }
    for link in links { lost[link] = nil }
    for (link, since) in lost {
      if begun.contains(link.other) || !isThere(link.other) {
        want([link])
      } else if now - since > Self.lastMoments {
        lost[link] = nil
      }
    }
    wanted.removeAll(where: links.contains)
    present = links
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
