internal import Engine

/// Who holds which notes, as far as the node has been told: it can be ahead of the audio, where
/// messages have a time.
struct HeldNotes {
  /// A note that is held.
  struct Note {
    let finger: Finger
    /// Who holds it; nil for the node itself.
    let client: Client?
    /// Where it lies on the grid, if it does.
    let cell: (row: Int, column: Int)?
    let velocity: Float
    /// When it begins, in microseconds of the host's steady clock; nil for at once.
    let due: Double?
  }

  // A phone that has gone says nothing any more.
  private static let leaseMicroseconds = Subscriptions.leaseSeconds * 1e6

  /// In the order in which they were begun.
  private(set) var notes: [Note] = []
  // When those who hold something were last heard from.
  private var heard: [Client: Double] = [:]

  /// Adds a note, in the place of the one that the same client has on this finger.
  mutating func add(_ note: Note, now: () -> Double) {
    notes.removeAll { $0.finger.number == note.finger.number && $0.client == note.client }
    notes.append(note)
    if let client = note.client, heard[client] == nil { heard[client] = now() }
  }

  /// Takes out the notes that these words are true of.
  mutating func take(_ isMeant: (Note) -> Bool) -> [Note] {
    let taken = notes.filter(isMeant)
    guard !taken.isEmpty else { return [] }
    notes.removeAll(where: isMeant)
    let holders = Set(notes.compactMap(\.client))
    heard = heard.filter { holders.contains($0.key) }
    return taken
  }

  /// Whether somebody holds a finger.
  func isHeld(_ finger: Finger) -> Bool {
    notes.contains { $0.finger.number == finger.number }
  }

  /// Notes that a client was heard from.
  mutating func renew(_ client: Client, now: () -> Double) {
    if !heard.isEmpty, heard[client] != nil { heard[client] = now() }
  }

  /// Those who have said nothing for so long that their notes are to end.
  func silent(now: Double) -> Set<Client> {
    Set(heard.filter { $0.value + Self.leaseMicroseconds <= now }.keys)
  }

  /// Whether nobody holds anything.
  var isEmpty: Bool { notes.isEmpty }
}
