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

  /// The sample rates of the clips, in Hz, with the newest clip's rate last.
  ///
  /// One rate if no loop has a clip; empty without loops. There are several if the node was killed before the
  /// journal had all loops at a new rate.
  package var rates: [Int] {
    var newest: [Int: UInt32] = [:]
    for version in slots.lazy.flatMap(\.versions) where version.frames > 0 {
      newest[version.rate] = max(newest[version.rate, default: 0], version.serial)
    }
    if newest.isEmpty { return slots.first.map { [$0.rate] } ?? [] }
    return newest.sorted { $0.value < $1.value }.map(\.key)
  }

  /// Restores the loops into an engine that is not rendering, at their sample rate: stopped, or playing as
  /// they did, from the start of the longest one that played.
  ///
  /// Clips of several sample rates are converted to one.
  package func restore(into engine: Engine, plays: Bool) -> (LoopRestorer, Restoration) {
    let rates = self.rates
    var rest = slots.map { LoopPart.parts(of: $0, newestRate: rates.last ?? 0) }
    var result = Restoration()
    var rate = rates.last ?? engine.shared.sampleRate
    var restorer = engine.restoreLoops(sampleRate: Double(rates.first ?? rate))
    let mostPages = restorer[0].freePages
    while rest.contains(where: { !$0.isEmpty }) {
      for next in rates where rest.contains(where: { $0.first?.rate == next }) {
        rate = next
        // This converts the loops restored so far.
        restorer = engine.restoreLoops(sampleRate: Double(rate))
        for index in rest.indices where rest[index].first?.rate == rate {
          let part = rest[index].removeFirst()
          restore(part, restorer, room: room(for: rate, of: mostPages, rest, restorer), &result)
          // Page numbers are those of this rate.
          if rates.count > 1, part.isLast { mend(part.slot, restorer) }
        }
      }
    }
    if plays { start(restorer) }
    return (restorer, result)
  }

  /// The number of pages that undo and redo steps may use without displacing a loop still to be restored.
  ///
  /// With several sample rates, pages are counted at the highest one, which needs the most.
  private func room(
    for rate: Int, of mostPages: Int, _ rest: [[LoopPart]], _ restorer: LoopRestorer
  ) -> Int {
    let highest = Double(rates.max() ?? rate)
    func atHighest(_ pages: Int, _ rate: Int) -> Int {
      Int((Double(pages) * highest / Double(rate)).rounded(.up))
    }
    let needed = rest.joined()
      .filter {
        $0.hasCurrent && $0.slot.number < restorer.count && Self.fits($0.slot.current, restorer)
      }
      .reduce(0) { $0 + atHighest(Self.pages($1.slot.current), $1.rate) }
    let free = restorer[0].freePages
    let left = mostPages - atHighest(mostPages - free, rate) - needed
    return min(free, Int(Double(max(0, left)) * Double(rate) / highest))
  }

  private func restore(
    _ part: LoopPart, _ restorer: LoopRestorer, room: Int, _ result: inout Restoration
  ) {
    do throws(Unfit) {
      let (fitting, line) = try fitting(part, restorer, room: room)
      if let fitting {
        let view = restorer[fitting.number].view
        let steps = part.isFirst ? 0 : view.count
        try restore(
          fitting, after: steps,
          place: part.isAfterCurrent ? view.place : steps + fitting.place, restorer)
        if part.hasCurrent, fitting.current.frames > 0 { result.count += 1 }
      }
      if let line { result.lines.append(line) }
    } catch {
      result.lines.append("loop \(part.slot.number + 1) \(error.reason)")
    }
  }

  /// Marks the restored state of an engine as written, so that the journal continues; false if it is
  /// empty, or converted.
  package func adopt(_ restorer: LoopRestorer) -> Bool {
    // The node may have been killed after a change of the rate, before it had written anything at the new one.
    if slots.isEmpty || rates.count > 1 || rates.first != latestRate { return false }
    for slot in slots where slot.number < restorer.count {
      restorer.adopt(slot.number, slot.versions.map(\.serial), hasHistory: !slot.wasRecording)
    }
    restorer.resume()
    return true
  }

  /// Repairs interrupted recordings: the ends of unfinished clips, and the point where an overdub
  /// broke off.
  ///
  /// Those of several sample rates are repaired before they are converted.
  package func mend(_ restorer: LoopRestorer) {
    if rates.count > 1 { return }
    for slot in slots { mend(slot, restorer) }
  }

  private func mend(_ slot: Slot, _ restorer: LoopRestorer) {
    guard slot.number < restorer.count else { return }
    if slot.wasRecording { restorer[slot.number].makeUpTail() }
    if let page = slot.breach {
      restorer[slot.number].mend(behind: page, backward: slot.isBreachBackward)
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

  /// Returns the versions of a part that fit, and a line about the dropped ones.
  ///
  /// Its undo and redo steps may use `room` pages.
  private func fitting(
    _ part: LoopPart, _ restorer: LoopRestorer, room: Int
  ) throws(Unfit) -> (slot: Slot?, line: String?) {
    let slot = part.slot
    if slot.isEmpty, slot.number >= restorer.count { return (nil, nil) }
    guard slot.number < restorer.count else {
      throw Unfit(reason: "has no place: there are \(restorer.count) now")
    }
    guard !part.hasCurrent || Self.fits(slot.current, restorer) else {
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
    while Self.pages(fitting) > room {
      if part.hasCurrent, fitting.versions.count == 1 {
        if Self.pages(fitting) <= restorer[0].freePages { break }
        throw Unfit(reason: "doesn't fit in memory")
      }
      drop(fitting.place > 0 ? 0 : fitting.versions.count - 1)
    }
    let dropped = slot.versions.count - fitting.versions.count
    return (
      fitting.versions.isEmpty ? nil : fitting,
      dropped == 0
        ? nil
        : "loop \(slot.number + 1) lost \(dropped) undo or redo "
          + "\(dropped == 1 ? "step, which doesn't" : "steps, which don't") fit in memory"
    )
  }

  /// The number of pages of a version that it doesn't share with its base.
  private static func pages(_ version: LoopVersion, base: LoopVersion? = nil) -> Int {
    (0..<version.pageCount).count { version.page($0) != nil && version.page($0) != base?.page($0) }
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
      count += pages(version, base: base(of: version, before))
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

  /// Restores the versions of a slot after `steps` earlier ones, and makes the one at index `place` the
  /// current one.
  private func restore(
    _ slot: Slot, after steps: Int, place: Int, _ restorer: LoopRestorer
  ) throws(Unfit) {
    var before: (version: LoopVersion, number: Int)?
    for version in slot.versions {
      let base = Self.base(of: version, before?.version)
      guard
        let number = restorer[slot.number].beginClip(like: base == nil ? nil : before?.number)
      else { throw Unfit(reason: "has too many steps") }
      for index in 0..<version.pageCount {
        guard let offset = version.page(index), offset != base?.page(index) else { continue }
        guard let page = restorer.page(slot.number, number, index) else {
          throw Unfit(reason: "doesn't fit in memory")
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
    restorer.finish(slot.number, count: steps + slot.versions.count, place: place)
  }

  /// Starts the loops that played, with the same offsets between them.
  private func start(_ restorer: LoopRestorer) {
    let playing = slots.filter {
      $0.isPlaying && $0.number < restorer.count && $0.current.frames > 0
    }
    // The longest loop, which the others divide, carries the most phase information.
    guard
      let first = playing.max(by: {
        $0.current.round / Double($0.rate) < $1.current.round / Double($1.rate)
      })
    else { return }
    for slot in playing {
      let rate = Double(slot.beginningRate)
      let round = slot.current.round / Double(slot.rate) * rate
      // Start frames at different sample rates can't be compared.
      let isComparable = slot.beginningRate == first.beginningRate && rate > 0
      let place =
        isComparable
        ? Double(first.beginning - slot.beginning).truncatingRemainder(dividingBy: round) : 0
      restorer.start(slot.number, at: (place < 0 ? place + round : place) / max(rate, 1))
    }
  }
}
