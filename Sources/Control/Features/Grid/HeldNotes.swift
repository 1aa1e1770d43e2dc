internal import Engine

/// The held notes and their clients, including scheduled ones that have not started.
struct HeldNotes {
  /// A held note.
  struct Note {
    let finger: Finger
    /// The client that holds it; nil for the node itself.
    let client: Client?
    /// The row and column on the grid; nil for keys.
    let cell: (row: Int, column: Int)?
    let velocity: Float
    /// The time of its start, in microseconds of the host's steady clock; nil for immediately.
    let due: Double?
    /// The number in order of start.
    fileprivate(set) var number = 0
  }

  // A disconnected phone does not end its notes.
  private static let leaseMicroseconds = Subscriptions.leaseSeconds * 1e6
  // More than three clients with every key and cell held. Each packet with notes may copy them.
  private static let most = 2048

  // By finger, in order of start. The number of fingers is small, whatever the number of clients.
  private var byFinger: [UInt16: [Note]] = [:]
  private var count = 0
  private var begun = 0
  // The last packet and the number of notes of each client with held notes.
  private var holders: [Client: (lastPacket: Double, count: Int)] = [:]

  /// The notes, unordered.
  var notes: some Sequence<Note> { byFinger.values.lazy.joined() }

  /// Adds a note, replacing the client's note on the same finger.
  ///
  /// Throws if there are too many.
  mutating func add(_ note: Note, now: () -> Double) throws(Refusal) {
    let finger = note.finger.number
    let own = byFinger[finger]?.firstIndex { $0.client == note.client }
    guard own != nil || count < Self.most else {
      throw Refusal(.busy, "more than \(Self.most) held notes; /note/allOff ends all")
    }
    if let own {
      byFinger[finger]?.remove(at: own)
    } else {
      count += 1
      if let client = note.client {
        holders[client, default: (now(), 0)].count += 1
      }
    }
    var note = note
    begun += 1
    note.number = begun
    byFinger[finger, default: []].append(note)
  }

  /// Removes the notes that match a predicate, in order of start.
  mutating func remove(_ isMeant: (Note) -> Bool) -> [Note] {
    var taken: [Note] = []
    for finger in byFinger.keys { taken += remove(finger, isMeant) }
    return taken.sorted { $0.number < $1.number }
  }

  /// Removes the notes on the finger of a number that match a predicate.
  mutating func remove(_ finger: UInt16, _ isMeant: (Note) -> Bool) -> [Note] {
    guard let taken = byFinger[finger]?.filter(isMeant), !taken.isEmpty else { return [] }
    byFinger[finger]?.removeAll(where: isMeant)
    if byFinger[finger]?.isEmpty == true { byFinger[finger] = nil }
    count -= taken.count
    for case let client? in taken.map(\.client) {
      holders[client]?.count -= 1
      if holders[client]?.count == 0 { holders[client] = nil }
    }
    return taken
  }

  /// Whether any client holds a finger.
  func isHeld(_ finger: Finger) -> Bool { byFinger[finger.number] != nil }

  /// Renews a client's lease.
  mutating func renew(_ client: Client, now: () -> Double) {
    if !holders.isEmpty, holders[client] != nil { holders[client]?.lastPacket = now() }
  }

  /// The clients whose lease has expired.
  func silent(now: Double) -> Set<Client> {
    Set(holders.filter { $0.value.lastPacket + Self.leaseMicroseconds <= now }.keys)
  }

  /// Whether there are no held notes.
  var isEmpty: Bool { byFinger.isEmpty }
}
