package import Posix

/// A queue of received datagrams that serves their senders in turns: first the addresses, then the ports of
/// each.
///
/// A sender that floods the node delays and displaces its own datagrams only. Senders share places by an
/// unpredictable hash (stochastic fair queueing), so that many forged ones take no more memory.
package struct DatagramTurns {
  /// A received datagram.
  package struct Datagram {
    package let bytes: [UInt8]
    package let sender: DatagramReader.Sender
    /// The number of the socket that received it.
    package let socket: Int

    /// Creates a datagram with a copy of its bytes.
    package init(_ bytes: [UInt8], from sender: DatagramReader.Sender, socket: Int) {
      self.bytes = bytes
      self.sender = sender
      self.socket = socket
    }
  }

  /// The maximum number of datagrams that wait for one sender.
  package static let mostOfOne = 1024
  /// The maximum number of bytes that wait for one sender.
  package static let mostBytesOfOne = 512 << 10
  /// The maximum number of bytes that wait.
  package static let mostBytes = 8 << 20
  private static let addresses = 64
  private static let ports = 16

  /// The datagrams of one sender, or of a few that share a place.
  private struct Lane {
    private var waiting: [Datagram] = []
    private var first = 0
    private(set) var bytes = 0

    var count: Int { waiting.count - first }

    mutating func append(_ datagram: Datagram) {
      waiting.append(datagram)
      bytes += datagram.bytes.count
    }

    mutating func removeFirst() -> Datagram {
      let datagram = waiting[first]
      waiting[first] = Datagram([], from: datagram.sender, socket: datagram.socket)
      first += 1
      bytes -= datagram.bytes.count
      // Moved together now and then, so that it takes constant time on average.
      if first * 2 > waiting.count {
        waiting.removeFirst(first)
        first = 0
      }
      return datagram
    }
  }

  /// The lanes of one address, with those in use in the order of their turns.
  private struct Group {
    var lanes = Array(repeating: Lane(), count: ports)
    var turns: [Int] = []
    var bytes = 0
  }

  private var groups = Array(repeating: Group(), count: addresses)
  private var turns: [Int] = []
  private var bytes = 0
  /// The number of datagrams that wait.
  package private(set) var count = 0

  /// Creates an empty queue.
  package init() {}

  private static func place(_ value: some Hashable, of count: Int) -> Int {
    Int(truncatingIfNeeded: UInt(bitPattern: value.hashValue) % UInt(count))
  }

  /// Appends a datagram.
  ///
  /// Returns the number of older ones that are dropped for it: those of its sender if they are too many, or
  /// of the address with the most bytes. The newest stay, since the last value of a control is the right one.
  package mutating func append(_ datagram: Datagram) -> Int {
    let endpoint = datagram.sender.endpoint
    let group = Self.place(endpoint.address.network, of: Self.addresses)
    let lane = Self.place(endpoint, of: Self.ports)
    var dropped = 0
    while groups[group].lanes[lane].count >= Self.mostOfOne
      || groups[group].lanes[lane].count > 0
        && groups[group].lanes[lane].bytes + datagram.bytes.count > Self.mostBytesOfOne
    {
      _ = remove(group, lane)
      dropped += 1
    }
    while count > 0, bytes + datagram.bytes.count > Self.mostBytes {
      dropOne()
      dropped += 1
    }
    if groups[group].turns.isEmpty { turns.append(group) }
    if groups[group].lanes[lane].count == 0 { groups[group].turns.append(lane) }
    groups[group].lanes[lane].append(datagram)
    groups[group].bytes += datagram.bytes.count
    bytes += datagram.bytes.count
    count += 1
    return dropped
  }

  /// Removes the datagram whose sender has the next turn; nil if none waits.
  package mutating func next() -> Datagram? {
    guard let group = turns.first else { return nil }
    let lane = groups[group].turns[0]
    let datagram = remove(group, lane)
    // To the end, if any are left.
    if groups[group].turns.first == lane {
      groups[group].turns.removeFirst()
      groups[group].turns.append(lane)
    }
    if turns.first == group {
      turns.removeFirst()
      turns.append(group)
    }
    return datagram
  }

  /// Removes the oldest datagram of a lane.
  private mutating func remove(_ group: Int, _ lane: Int) -> Datagram {
    let datagram = groups[group].lanes[lane].removeFirst()
    groups[group].bytes -= datagram.bytes.count
    bytes -= datagram.bytes.count
    count -= 1
    if groups[group].lanes[lane].count == 0 { groups[group].turns.removeAll { $0 == lane } }
    if groups[group].turns.isEmpty { turns.removeAll { $0 == group } }
    return datagram
  }

  /// Drops the oldest datagram of the longest lane of the address with the most bytes.
  private mutating func dropOne() {
    guard let group = turns.max(by: { groups[$0].bytes < groups[$1].bytes }),
      let lane = groups[group].turns.max(by: {
        groups[group].lanes[$0].bytes < groups[group].lanes[$1].bytes
      })
    else { return }
    _ = remove(group, lane)
  }
}
