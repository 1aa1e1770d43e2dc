internal import Posix

/// A node that was found on this machine or on the network.
struct FoundNode {
  /// Its name in the JACK graph, or the one under which Avahi announces it.
  let name: String
  /// The name of its machine.
  let host: String
  /// The endpoint at which it receives messages.
  let place: NodePlace
  /// Whether it runs on this machine.
  let isOwn: Bool
}

extension FoundNode {
  /// The largest number of nodes that are used: more than a rig has, and few enough for the sockets of a node.
  static let most = 64

  /// A node of this machine.
  init(name: String, port: UInt16) {
    let place = NodePlace(host: NodePlace.usual.host, port: port, isStream: false)
    self.init(name: name, host: IPAddress.nameOfThisMachine, place: place, isOwn: true)
  }

  /// Returns this user's nodes on this machine, without Avahi.
  private static func ofThisMachine() -> [FoundNode] {
    guard let folder = NodeFile.folder else { return [] }
    let suffix = ".url"
    return Files.names(in: folder).sorted().compactMap { file in
      guard file.hasSuffix(suffix), let url = Files.read("\(folder)/\(file)"),
        let place = NodePlace(String(url.prefix { !$0.isNewline }))
      else { return nil }
      // A killed node leaves its file.
      guard !isFree(place.port) else { return nil }
      return FoundNode(name: String(file.dropLast(suffix.count)), port: place.port)
    }
  }

  private static func isFree(_ port: UInt16) -> Bool {
    (try? Socket(.datagrams, boundTo: Endpoint(address: .loopback4, port: port))) != nil
  }

  /// Returns all nodes that can be found, and the requesting one, sorted by name, and whether Avahi is running.
  ///
  /// Without Avahi, only nodes of this machine are found.
  static func all(with asking: FoundNode? = nil) -> (nodes: [FoundNode], hasAvahi: Bool) {
    let announced = AnnouncedNodes.search()
    // A node is announced once for each interface and IP version. IPv4 comes first: it also reaches nodes that
    // listen on one version only.
    let sorted = (announced ?? []).sorted {
      !$0.place.host.contains(":") && $1.place.host.contains(":")
    }
    var nodes: [FoundNode] = []
    for node in [asking].compactMap(\.self) + ofThisMachine() + sorted
    where nodes.count < most && !nodes.contains(where: { $0.isSame(as: node) }) {
      nodes.append(node)
    }
    return (nodes.sorted { ($0.name, $0.host) < ($1.name, $1.host) }, announced != nil)
  }

  private func isSame(as other: FoundNode) -> Bool {
    isOwn == other.isOwn && place.port == other.place.port
      && (isOwn || place.host == other.place.host || host == other.host)
  }

  /// Returns the nodes with a name, and a list of the nodes found, for an error.
  static func named(_ name: String) -> (nodes: [FoundNode], found: String) {
    // A node of this machine is found at once.
    if let own = ofThisMachine().first(where: { $0.name == name }) { return ([own], "") }
    let (nodes, hasAvahi) = all()
    return (nodes.filter { $0.name == name }, words(nodes, hasAvahi))
  }

  /// Returns all nodes; throws if none is found.
  static func needed() throws(Failure) -> [FoundNode] {
    let (nodes, hasAvahi) = all()
    guard nodes.isEmpty else { return nodes }
    throw Failure(.unavailable, "\(words(nodes, hasAvahi)); `syrinx run` starts a node")
  }

  private static func words(_ nodes: [FoundNode], _ hasAvahi: Bool) -> String {
    let note = hasAvahi ? "" : " on this machine; Avahi is not running, so no others can be found"
    if nodes.isEmpty { return "no node was found\(note)" }
    return "found \(nodes.map(\.name).joined(separator: ", "))\(note)"
  }
}
