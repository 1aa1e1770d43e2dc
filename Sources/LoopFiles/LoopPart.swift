/// Consecutive versions of a slot with one sample rate.
struct LoopPart {
  /// The slot, with these versions only.
  let slot: LoopArchive.Slot
  /// Their sample rate, in Hz.
  let rate: Int
  /// Whether it has the oldest version.
  let isFirst: Bool
  /// Whether it has the newest version.
  let isLast: Bool
  /// Whether it has the current version.
  let hasCurrent: Bool
  /// Whether it has only redo steps, which follow the current version.
  let isAfterCurrent: Bool

  /// The parts of a slot, oldest first; empty versions belong to the part before them.
  static func parts(of slot: LoopArchive.Slot, newestRate: Int) -> [LoopPart] {
    var starts = [0]
    var rate: Int?
    for (index, version) in slot.versions.enumerated() where version.frames > 0 {
      if let rate, version.rate != rate { starts.append(index) }
      rate = version.rate
    }
    return starts.enumerated().map { number, start in
      let end = number + 1 < starts.count ? starts[number + 1] : slot.versions.count
      var part = slot
      part.versions = Array(slot.versions[start..<end])
      part.place = min(max(slot.place - start, 0), end - start - 1)
      return LoopPart(
        slot: part, rate: part.versions.first { $0.frames > 0 }?.rate ?? newestRate,
        isFirst: start == 0, isLast: end == slot.versions.count,
        hasCurrent: start..<end ~= slot.place, isAfterCurrent: start > slot.place)
    }
  }
}
