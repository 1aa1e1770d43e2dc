internal import DSP
package import Engine
internal import Posix

extension LoopArchive {
  /// The result of restoring loops into an engine.
  package struct Restoration {
    /// A line for each slot that was not restored in full.
    package fileprivate(set) var lines: [String] = []
    /// The number of loops with a clip.
    package fileprivate(set) var count = 0
    /// Whether everything was restored.
    package var isWhole: Bool { lines.isEmpty }
  }

  /// The sample rate of the clips, in Hz; nil without clips.
  package var rate: Int? { slots.first { !$0.isEmpty }?.rate ?? slots.first?.rate }

  /// Restores the loops into an engine at their sample rate: stopped, or playing as they did, from
  /// the start of the longest one that played.
  package func restore(with restorer: LoopRestorer, plays: Bool) -> Restoration {
    var result = Restoration()
    for slot in slots {
      do throws(Unfit) {
        let (fitting, line) = try fitting(slot, restorer)
        if let fitting {
          try restore(fitting, restorer)
          if fitting.current.frames > 0 { result.count += 1 }
        }
        if let line { result.lines.append(line) }
      } catch {
        result.lines.append("loop \(slot.number + 1) \(error.reason)")
      }
    }
    if plays { start(restorer) }
    return result
  }

  /// Marks the restored state of an engine as written, so that the journal continues; false if it is
  /// empty.
  package func adopt(_ restorer: LoopRestorer) -> Bool {
    if slots.isEmpty { return false }
    for slot in slots where slot.number < restorer.count {
      restorer.adopt(slot.number, slot.versions.map(\.serial), hasHistory: !slot.wasRecording)
    }
    restorer.resume()
    return true
  }

  /// Repairs interrupted recordings: the ends of unfinished clips, and the point where an overdub
  /// broke off.
  package func mend(_ restorer: LoopRestorer) {
    for slot in slots where slot.number < restorer.count {
      if slot.wasRecording { restorer[slot.number].makeUpTail() }
      if let page = slot.breach {
        restorer[slot.number].mend(behind: page, backward: slot.isBreachBackward)
      }
    }
  }

  /// A line for each recording and layer that was interrupted, as by a power cut.
  ///
  /// The writer is at most half a second behind the sound.
  package var interruptions: [String] {
    slots.compactMap { slot in
      let name = "loop \(slot.number + 1)"
      func seconds(_ frames: Int) -> String {
        let tenths = frames * 10 / max(slot.rate, 1)
        return "\(tenths / 10).\(tenths % 10) s"
      }
      if slot.wasRecording {
        return
          "\(name): the recording was interrupted, and \(seconds(slot.current.frames)) of it are "
          + "kept; at most its last half second is missing"
      }
      if slot.wasGrowing {
        return "\(name): a multiply or insert was interrupted, and the loop is as before it"
      }
      guard let page = slot.breach else { return nil }
      let edge = min(
        (slot.isBreachBackward ? page : page + 1) * LoopRecord.pageFrames, slot.current.frames)
      let extent =
        slot.isBreachBackward ? "from \(seconds(edge)) on" : "up to \(seconds(edge))"
      return
        "\(name): an overdub was interrupted, and is kept \(extent) in the loop; at "
        + "most its last half second is missing"
    }
  }

  private struct Unfit: Error {
    let reason: String
  }

  /// The part of a slot that fits, with a line about the rest.
  private func fitting(
    _ slot: Slot, _ restorer: LoopRestorer
  ) throws(Unfit) -> (slot: Slot?, line: String?) {
    if slot.isEmpty, slot.number >= restorer.count { return (nil, nil) }
    guard slot.number < restorer.count else {
      throw Unfit(reason: "has no place: there are \(restorer.count) now")
    }
    guard slot.rate == rate else {
      throw Unfit(reason: "is of \(slot.rate) Hz, and others are not")
    }
    guard Self.fits(slot.current, restorer) else {
      throw Unfit(
        reason: "has \(slot.current.frames / slot.rate) s, and a clip can have "
          + "\(restorer[0].capacity / slot.rate) s now")
    }
    var fitting = slot
    // Undo steps go before redo steps, as when memory is short.
    func drop(_ index: Int) {
      fitting.versions.remove(at: index)
      if index < fitting.place { fitting.place -= 1 }
    }
    for index in fitting.versions.indices.reversed()
    where !Self.fits(fitting.versions[index], restorer) {
      drop(index)
    }
    while Self.pages(fitting) > restorer[0].freePages {
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

  private static func fits(_ version: LoopVersion, _ restorer: LoopRestorer) -> Bool {
    guard version.frames <= restorer[0].capacity else { return false }
    let most = restorer[0].pagesOfClip
    return (0..<version.pageCount).allSatisfy { $0 < most || version.page($0) == nil }
  }

  /// The number of pages that a slot needs.
  private static func pages(_ slot: Slot) -> Int {
    var count = 0
    var before: LoopVersion?
    for version in slot.versions {
      let base = Self.base(of: version, before)
      for index in 0..<version.pageCount {
        if let page = version.page(index), page != base?.page(index) { count += 1 }
      }
      before = version
    }
    return count
  }

  /// The version that one starts as a copy of: the version before, if this one contains all of it.
  private static func base(of version: LoopVersion, _ before: LoopVersion?) -> LoopVersion? {
    guard let before else { return nil }
    var isShared = false
    for index in 0..<before.pageCount {
      guard let page = before.page(index) else { continue }
      guard let own = version.page(index) else { return nil }
      if own == page { isShared = true }
    }
    return isShared ? before : nil
  }

  private func restore(_ slot: Slot, _ restorer: LoopRestorer) throws(Unfit) {
    var before: (version: LoopVersion, number: Int)?
    for version in slot.versions {
      let base = Self.base(of: version, before?.version)
      guard
        let number = restorer[slot.number].beginClip(like: base == nil ? nil : before?.number)
      else { throw Unfit(reason: "has too many steps") }
      for index in 0..<version.pageCount {
        guard let offset = version.page(index), offset != base?.page(index) else { continue }
        guard let page = restorer.page(slot.number, number, index) else {
          throw Unfit(reason: "finds no memory any more")
        }
        do throws(SystemError) { try read(offset, into: page) } catch {
          throw Unfit(reason: "can't be read: \(error)")
        }
      }
      restorer[slot.number].addKept(
        number, frames: version.frames, round: version.round, beat: Double(version.beat),
        layers: version.layers, clip: version.clip)
      before = (version, number)
    }
    restorer.finish(slot.number, count: slot.versions.count, place: slot.place)
  }

  /// Starts the loops that played, with the same offsets between them.
  private func start(_ restorer: LoopRestorer) {
    let playing = slots.filter {
      $0.isPlaying && $0.number < restorer.count && $0.current.frames > 0
    }
    // The longest loop, which the others divide, carries the most phase information.
    guard let first = playing.max(by: { $0.current.round < $1.current.round }) else { return }
    for slot in playing {
      let round = slot.current.round
      let place = Double(first.beginning - slot.beginning).truncatingRemainder(dividingBy: round)
      restorer.start(
        slot.number, at: (place < 0 ? place + round : place) / Double(slot.rate))
    }
  }
}
