internal import Engine
internal import Posix

/// A journal file that was read as a whole: its state, and what was damaged in it.
struct JournalReading {
  // Where a damaged header is derived from.
  private static let startBytes = 1 << 17

  let format: JournalFormat
  let index: JournalIndex
  let pages: JournalPages
  /// The size of the part to continue after, in bytes.
  let size: Int
  /// The damage; nil if the file is intact, or just incomplete at its end.
  let damage: JournalDamage?

  /// Reads a file of `end` bytes; nil if it is no journal.
  init?(_ file: Descriptor, end: Int) throws(SystemError) {
    let start = try file.bytes(min(end, Self.startBytes), at: 0)
    var damage = JournalDamage()
    if let format = JournalFormat(head: start) {
      self.format = format
    } else if let format = start.withUnsafeBytes({ JournalFormat(recovering: $0) }) {
      self.format = format
      damage.repairs += 1
    } else {
      return nil
    }
    var scan = JournalScan(file, format, from: JournalFormat.headBytes, to: end)
    var (index, pages) = (JournalIndex(), JournalPages(file: file))
    var size = scan.offset
    reading: while true {
      switch try scan.next({ index.apply($0, $1, at: $2) }) {
      case .end: break reading
      case .record: break
      case .rejected:
        damage.add(bytes: scan.offset - size)
        index.noteLoss()
      case .broken:
        if let (payload, place, byte) = try scan.repair({ index.apply($0, $1, at: $2) }) {
          if place >= payload { pages.repairs[payload] = (place, byte) }
          damage.repairs += 1
          break
        }
        index.noteLoss()
        try scan.skip()
        if scan.offset == end, try scan.isTorn(at: size) { break reading }
        damage.add(bytes: scan.offset - size)
      }
      size = scan.offset
    }
    if damage.isLoss { index.complete() }
    damage.rate = index.rate
    (self.index, self.pages, self.size) = (index, pages, size)
    self.damage = damage.isEmpty ? nil : damage
  }
}
