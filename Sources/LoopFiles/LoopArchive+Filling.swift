package import Engine
internal import Posix

extension LoopArchive {
  /// The result of restoring loops into an engine.
  package struct Filling {
    /// A line for each slot that was not restored in full.
    package fileprivate(set) var lines: [String] = []
    /// The number of loops with a clip.
    package fileprivate(set) var count = 0
    /// Whether everything was restored.
    package var isWhole: Bool { lines.isEmpty }
  }

  /// The sample rate of the clips, in Hz; nil without clips.
  package var rate: Int? { slots.first { !Self.isEmpty($0) }?.rate ?? slots.first?.rate }

  private static func isEmpty(_ slot: Slot) -> Bool { slot.versions.allSatisfy { $0.frames == 0 } }

  /// Restores the loops into an engine at their sample rate: stopped, or playing as they did, from
  /// the start of the longest one that played.
  package func fill(_ filler: LoopRestorer, plays: Bool) -> Filling {
    var filling = Filling()
    for slot in slots {
      do throws(Unfit) {
        let (fitting, line) = try fitting(slot, filler)
        if let fitting {
          try fill(fitting, filler)
          if fitting.current.frames > 0 { filling.count += 1 }
        }
        if let line { filling.lines.append(line) }
      } catch {
        filling.lines.append("loop \(slot.number + 1) \(error.reason)")
      }
    }
    if plays { start(filler) }
    return filling
  }

  /// Marks the contents of a restored engine as published, so that its journal continues; false if
  /// the journal has not started.
  package func adopt(_ filler: LoopRestorer) -> Bool {
    if slots.isEmpty { return false }
    for slot in slots where slot.number < filler.count {
      filler.adopt(
        slot.number, slot.versions.map(\.serial), hasHistory: !slot.wasRecording)
    }
    filler.resume()
    return true
  }

  /// Repairs interrupted recordings: the ends of unfinished clips, and the point where an overdub
  /// broke off.
  package func mend(_ filler: LoopRestorer) {
    for slot in slots where slot.number < filler.count {
      if slot.wasRecording { filler.makeUpTail(slot.number) }
      if let page = slot.breach { filler.mend(slot.number, behind: page) }
    }
  }

  private struct Unfit: Error {
    let reason: String
  }

  /// The part of a slot that fits, with a line about the rest.
  private func fitting(
    _ slot: Slot, _ filler: LoopRestorer
  ) throws(Unfit) -> (slot: Slot?, line: String?) {
    if Self.isEmpty(slot), slot.number >= filler.count { return (nil, nil) }
    guard slot.number < filler.count else {
      throw Unfit(reason: "has no place: there are \(filler.count) now")
    }
    guard slot.rate == rate else {
      throw Unfit(reason: "is of \(slot.rate) Hz, and others are not")
    }
    guard Self.fits(slot.current, filler) else {
      throw Unfit(
        reason: "has \(slot.current.frames / slot.rate) s, and a clip can have "
          + "\(filler.capacity / slot.rate) s now")
    }
    var fitting = slot
    // Undo steps go before redo steps, as when memory is short.
    func drop(_ index: Int) {
      fitting.versions.remove(at: index)
      if index < fitting.place { fitting.place -= 1 }
    }
    for index in fitting.versions.indices.reversed()
    where !Self.fits(fitting.versions[index], filler) {
      drop(index)
    }
    while Self.pages(fitting) > filler.freePages {
      guard fitting.versions.count > 1 else {
        throw Unfit(reason: "finds no memory any more")
      }
      drop(fitting.place > 0 ? 0 : fitting.versions.count - 1)
    }
    let dropped = slot.versions.count - fitting.versions.count
    return (
      fitting,
      dropped == 0
        ? nil
        : "loop \(slot.number + 1) has \(dropped) steps less to undo or redo: they don't fit any more"
    )
  }

  private static func fits(_ version: Version, _ filler: LoopRestorer) -> Bool {
    guard version.frames <= filler.capacity else { return false }
    return (0..<version.pageCount).allSatisfy {
      $0 < filler.pagesOfClip || version.page($0) == nil
    }
  }

  /// The number of pages that a slot takes.
  private static func pages(_ slot: Slot) -> Int {
    var count = 0
    var before: Version?
    for version in slot.versions {
      let own = begun(version, like: before)
      for index in 0..<version.pageCount {
        if let page = version.page(index), page != own?.page(index) { count += 1 }
      }
      before = version
    }
    return count
  }

  /// The version that one starts as a copy of: the version before, if this one contains all of it.
  private static func begun(_ version: Version, like before: Version?) -> Version? {
    guard let before else { return nil }
    var isShared = false
    for index in 0..<before.pageCount {
      guard let page = before.page(index) else { continue }
      guard let own = version.page(index) else { return nil }
      if own == page { isShared = true }
    }
    return isShared ? before : nil
  }

  private func fill(_ slot: Slot, _ filler: LoopRestorer) throws(Unfit) {
    var before: (version: Version, number: Int)?
    for version in slot.versions {
      let like = Self.begun(version, like: before?.version)
      guard let number = filler.begin(slot.number, like: like == nil ? nil : before?.number) else {
        throw Unfit(reason: "has too many steps")
      }
      for index in 0..<version.pageCount {
        guard let place = version.page(index), place != like?.page(index) else { continue }
        guard let page = filler.page(slot.number, number, index) else {
          throw Unfit(reason: "finds no memory any more")
        }
        do throws(SystemError) { try read(place, into: page) } catch {
          throw Unfit(reason: "can't be read: \(error)")
        }
      }
      filler.add(
        slot.number, number, frames: version.frames, round: version.round, layers: version.layers,
        clip: version.clip)
      before = (version, number)
    }
    filler.finish(slot.number, count: slot.versions.count, place: slot.place)
  }

  /// Starts the loops that played, with the same offsets between them.
  private func start(_ filler: LoopRestorer) {
    let playing = slots.filter {
      $0.isPlaying && $0.number < filler.count && $0.current.frames > 0
    }
    // The longest loop, which the others divide, carries the most phase information.
    guard let first = playing.max(by: { $0.current.round < $1.current.round }) else { return }
    for slot in playing {
      let round = slot.current.round
      let place = Double(first.beginning - slot.beginning).truncatingRemainder(dividingBy: round)
      filler.start(
        slot.number, at: (place < 0 ? place + round : place) / Double(slot.rate))
    }
  }
}
