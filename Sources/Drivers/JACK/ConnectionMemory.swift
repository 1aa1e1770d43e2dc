internal import Engine

/// The connections of the node's ports, and those to restore as soon as the other port exists
/// again: after that port, the server, or the node itself went away.
///
/// A server that dies may break its connections one by one before its shutdown is noticed, and so
/// does a client that exits. A lost connection counts as removed by the user only if both ports
/// still exist a moment later.
struct ConnectionMemory {
  /// How long both ports must outlive their connection for it to count as removed, in microseconds.
  static let lastMoments = 1_000_000.0
  // A port that went away may never come back: the oldest connection is dropped.
  static let mostWanted = 256

  private var present: Set<SoundConnection> = []
  // The time at which each connection was lost while both of its ports exist.
  private var lost: [SoundConnection: Double] = [:]
  // The devices of ports that are, or were, connected.
  private var devices: [String: String] = [:]
  // The ports whose device is now another one.
  private var taken: Set<String> = []
  // The node's own ports that ever had a connection.
  private var connectedPorts: Set<String>
  /// The connections to make as soon as both ports exist, oldest first.
  private(set) var wanted: [SoundConnection]

  /// Creates a memory from the connections to restore.
  ///
  /// `connectedPorts` are the node's own ports that ever had a connection.
  init(_ wanted: [SoundConnection] = [], connectedPorts: Set<String> = []) {
    self.wanted = wanted.suffix(Self.mostWanted)
    self.connectedPorts = connectedPorts.union(wanted.map(\.own))
  }

  /// All connections that exist or will be restored.
  var kept: [SoundConnection] {
    wanted
      + present.union(lost.keys).sorted {
        ($0.own, $0.other) < ($1.own, $1.other)
      }
  }

  /// The wanted connections whose port belongs to the same device as before.
  var due: [SoundConnection] { wanted.filter { !taken.contains($0.other) } }

  /// Whether a connection was lost for a reason not known yet.
  var isInDoubt: Bool { !lost.isEmpty }

  /// Whether any of these ports has, or ever had, a connection.
  func hasHadConnection(of ports: Set<String>) -> Bool { !ports.isDisjoint(with: connectedPorts) }

  /// Whether any of these ports is unconnected while all of its connections wait to be restored.
  func isWaiting(for ports: Set<String>) -> Bool {
    wanted.contains { ports.contains($0.own) }
      && !present.union(lost.keys).contains { ports.contains($0.own) }
  }

  /// Renames ports, as pairs of an old and a new name.
  mutating func rename(_ names: [(old: String, new: String)]) {
    for (old, new) in names {
      func renamed(_ link: SoundConnection) -> SoundConnection {
        link.other == old ? SoundConnection(own: link.own, other: new) : link
      }
      present = Set(present.map(renamed))
      lost = Dictionary(lost.map { (renamed($0), $1) }, uniquingKeysWith: max)
      wanted = wanted.map(renamed)
    }
  }

  /// Updates the memory with the present connections.
  ///
  /// `changed` has the names of ports that were registered or unregistered since the last update:
  /// such a port is a different one, even if a port of that name exists.
  mutating func update(
    _ links: Set<SoundConnection>, changed: Set<String>, now: Double, isThere: (String) -> Bool
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

  /// Finds the devices of wanted connections among the present ports.
  ///
  /// A device that was plugged in again may have another port, and its former port may be another device's.
  mutating func find(_ ports: [DevicePort]) {
    let byName = Dictionary(
      ports.map { ($0.name, $0.device) }, uniquingKeysWith: { first, _ in first })
    for link in present { devices[link.other] = byName[link.other] }
    taken = []
    for (index, link) in wanted.enumerated() {
      let device = devices[link.other] ?? DeviceName.lasting(link.other, aliases: [])
      guard let device, byName[link.other] != device else { continue }
      let isSource = PortPlan.inputNames.contains(link.own)
      let port = ports.first { port in
        let new = SoundConnection(own: link.own, other: port.name)
        return port.device == device && port.isSource == isSource && !present.contains(new)
          && !wanted.contains(new)
      }
      if let port {
        wanted[index] = SoundConnection(own: link.own, other: port.name)
        devices[port.name] = device
      } else if byName[link.other] != nil {
        taken.insert(link.other)
      }
    }
    let kept = Set(present.union(lost.keys).union(wanted).map(\.other))
    devices = devices.filter { kept.contains($0.key) }
  }

  /// Notes that the server has shut down.
  mutating func serverIsGone(now: Double) {
    want(present.union(lost.filter { now - $0.value <= Self.lastMoments }.keys))
    present = []
    lost = [:]
  }

  private mutating func want(_ links: Set<SoundConnection>) {
    for link in links.sorted(by: { ($0.own, $0.other) < ($1.own, $1.other) }) {
      lost[link] = nil
      if !wanted.contains(link) { wanted.append(link) }
    }
    wanted.removeFirst(max(0, wanted.count - Self.mostWanted))
  }
}
