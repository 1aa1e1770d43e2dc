internal import Engine

/// The notes that are held, and by whom, as far as the node has been told: it can be ahead of the audio, where
/// messages have a time.
struct HeldNotes {
  /// A note that is held.
  struct Note {
    let finger: Finger
    /// The client that holds it; nil for the node itself.
    let client: Client?
    /// Its row and column on the grid, if it lies there.
    let cell: (row: Int, column: Int)?
    let velocity: Float
    /// The time at which it begins, in microseconds of the host's steady clock; nil for at once.
    let due: Double?
    /// Its place in the order in which they were begun.
    fileprivate(set) var number = 0
  }

  // A phone that has gone says nothing any more.
  private static let leaseMicroseconds = Subscriptions.leaseSeconds * 1e6
  // More than three clients with every key and cell down: each packet that plays may copy them.
  private static let most = 2048

  // Of each finger, in the order in which they were begun: few fingers are down, whoever holds them.
  private var byFinger: [UInt16: [Note]] = [:]
  private var count = 0
  private var begun = 0
  // When those who hold something were last heard from, and how much they hold.
  private var holders: [Client: (heard: Double, count: Int)] = [:]

  /// The notes, in no order; their numbers have one.
  var notes: some Sequence<Note> { byFinger.values.lazy.joined() }

  /// Adds a note, in the place of the one that the same client has on this finger; refuses it where
  /// there is no room.
  mutating func add(_ note: Note, now: () -> Double) throws(Refusal) {
    let finger = note.finger.number
    let own = byFinger[finger]?.firstIndex { $0.client == note.client }
    guard own != nil || count < Self.most else {
      throw Refusal(
        .busy, "\(Self.most) notes are held already; end some, or all with /note/allOff")
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

  /// Takes out the notes that these words are true of, in the order in which they were begun.
  mutating func take(_ isMeant: (Note) -> Bool) -> [Note] {
    var taken: [Note] = []
    for finger in byFinger.keys { taken += take(finger, isMeant) }
    return taken.sorted { $0.number < $1.number }
  }

  /// Takes out the notes on a finger that these words are true of.
  mutating func take(_ finger: Finger, _ isMeant: (Note) -> Bool) -> [Note] {
    take(finger.number, isMeant)
  }

  private mutating func take(_ finger: UInt16, _ isMeant: (Note) -> Bool) -> [Note] {
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

  /// Whether somebody holds a finger.
  func isHeld(_ finger: Finger) -> Bool { byFinger[finger.number] != nil }

  /// Notes that a client was heard from.
  mutating func renew(_ client: Client, now: () -> Double) {
    if !holders.isEmpty, holders[client] != nil { holders[client]?.heard = now() }
  }

  /// Those who have said nothing for so long that their notes are to end.
  func silent(now: Double) -> Set<Client> {
    Set(holders.filter { $0.value.heard + Self.leaseMicroseconds <= now }.keys)
  }

  /// Whether nobody holds anything.
  var isEmpty: Bool { byFinger.isEmpty }
}
