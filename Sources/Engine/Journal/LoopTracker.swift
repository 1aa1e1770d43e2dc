internal import DSP

/// Writes the changes of one loop to the journal, in bounded work per block.
///
/// Changes for which the journal has no room are written later. A reader can stop after any record: then it has
/// the history as it was written last, and all versions in it.
struct LoopTracker: ~Copyable {
  /// The state of a version in the journal.
  private struct Version: BitwiseCopyable {
    // Its serial number; 0 if the journal doesn't have it.
    var serial: UInt32 = 0
    // The version that it began as a copy of, or -1, with its serial number.
    var base = -1
    var baseSerial: UInt32 = 0
    // The first page not yet compared with the base.
    var next = 0
    // Its length as written last.
    var length = LoopRecord(.length, frames: -1)
  }

  // A page is written this long after it was touched, when the playhead has most likely left it: until the
  // page is read, a write to it needs a copy.
  private static var restingFrames: Int { @_noLocks get { 1024 } }
  // The length of a recording is written in these steps.
  private static var recordedFrames: Int64 { @_noLocks get { 1024 } }
  // The cost of writing a page, in page comparisons.
  private static var pageCost: Int { @_noLocks get { 512 } }
  // The phase is written again when it is off by this many frames.
  private static var leastPhase: Double { @_noLocks get { 48 } }

  private let slot: Int
  private let buffers = Buffers()
  private let versions: UnsafeMutablePointer<Version>
  // The history as written last: serial numbers, and the index of the current one.
  private let history: UnsafeMutablePointer<UInt32>
  private var historyCount = 0
  private var historyPlace = 0
  // The recorded and the overdubbed version as written last; unknown at first.
  private var recording: UInt32 = .max
  private var overdub: UInt32 = .max
  private var isGrowing = false
  // Whether everything but pages was written when the view had these values.
  private var isOutlineWritten = false
  private var outlines = 0
  private var outlinedOverdub = -1
  private var outlinedGrowth = false
  // The phase as written last.
  private var isPhaseWritten = false
  private var wasPlaying = false
  private var beginning = 0.0

  /// Creates a tracker of a loop with an empty journal.
  init(slot: Int) {
    precondition(ClipView.mostVersions <= LoopRecord.mostVersions)
    self.slot = slot
    versions = buffers.filled(with: Version(), count: ClipView.mostVersions)
    history = buffers.filled(with: 0, count: ClipView.mostVersions)
  }

  /// Resets the state to an empty journal.
  @_noLocks
  mutating func reset() {
    for version in 0..<ClipView.mostVersions { versions[version] = Version() }
    historyCount = 0
    recording = .max
    overdub = .max
    isGrowing = false
    isOutlineWritten = false
    isPhaseWritten = false
  }

  /// Marks the versions of the history as written, and their order and lengths too if `hasHistory`.
  mutating func adopt(_ view: ClipView, hasHistory: Bool) {
    for index in 0..<view.count {
      let version = view.versions[index]
      versions[version] = Version()
      versions[version].serial = view[version].serial
      versions[version].next = view.pagesOfClip
      guard hasHistory else { continue }
      versions[version].length = length(of: version, view[version].length, view)
      history[index] = view[version].serial
      (historyCount, historyPlace) = (view.count, view.place)
    }
  }

  // MARK: - A block

  /// Writes changes of the loop.
  ///
  /// Returns whether everything is written.
  @_noLocks
  mutating func follow(
    _ view: ClipView, at frame: Int64, isWhole: Bool, _ inlet: inout JournalInlet
  ) -> Bool {
    // During an overdub, only pages change.
    var isSame =
      isOutlineWritten && view.outlines == outlines && view.place == historyPlace
      && view.count == historyCount && view.overdub == outlinedOverdub && view.recording < 0
      && view.isGrowing == outlinedGrowth && isWhole
    if !isSame || view.touched.pointee.count > 0 {
      if view.touched.pointee.isOverfull {
        // The touched pages are unknown, so all are compared again.
        view.touched.pointee.removeAll()
        for version in 0..<ClipView.mostVersions { versions[version].next = 0 }
        isSame = false
      }
      writeTouched(view, at: frame, &inlet)
      if !isSame { isSame = writeOutline(view, isWhole: isWhole, &inlet) }
    }
    return isSame && view.overdub < 0 && view.touched.pointee.count == 0
  }

  /// Writes the versions, their order, and which one is recorded or overdubbed.
  ///
  /// Returns whether everything is written.
  @_noLocks
  private mutating func writeOutline(
    _ view: ClipView, isWhole: Bool, _ inlet: inout JournalInlet
  ) -> Bool {
    var isWritten = true
    var before = -1
    for index in 0..<view.count where isWritten {
      let version = view.versions[index]
      isWritten =
        begin(version, after: before, view, &inlet)
        && compare(version, end: view.pagesOfClip, view, &inlet)
        && writeLength(version, view[version].length, view, &inlet)
      before = version
    }
    // A version whose end is still being assembled is not an undo step yet.
    if isWritten && isWhole { isWritten = writeHistory(view, &inlet) }
    let isRecordingWritten =
      writeRecording(view, isHistoryWritten: isWritten && isWhole, &inlet)
      && (!isWritten || writeOverdub(view, &inlet))
    isOutlineWritten = isWritten && isRecordingWritten && isWhole && view.recording < 0
    outlines = view.outlines
    outlinedOverdub = view.overdub
    outlinedGrowth = view.isGrowing
    return isOutlineWritten
  }

  // MARK: - Versions

  /// Whether the journal has a version.
  @_noLocks
  private func has(_ version: Int, _ view: ClipView) -> Bool {
    versions[version].serial != 0 && versions[version].serial == view[version].serial
  }

  /// Writes a version as a copy of the one before if they belong to one clip.
  ///
  /// Returns whether the journal has it.
  @_noLocks
  private mutating func begin(
    _ version: Int, after before: Int, _ view: ClipView, _ inlet: inout JournalInlet
  ) -> Bool {
    if has(version, view) { return true }
    var state = Version()
    state.serial = view[version].serial
    if before >= 0 && view[before].clip == view[version].clip {
      // The copy has the journal's pages.
      if !writeAllTouched(of: before, view, &inlet) { return false }
      state.base = before
      state.baseSerial = view[before].serial
    }
    let record = LoopRecord(
      .version, slot: slot, serial: state.serial, other: Int(state.baseSerial))
    if !inlet.write(record) { return false }
    versions[version] = state
    return true
  }

  /// Writes the pages up to `end` that a version doesn't share with its base, from where it stopped.
  ///
  /// Returns whether all are written.
  @_noLocks
  private mutating func compare(
    _ version: Int, end: Int, _ view: ClipView, _ inlet: inout JournalInlet
  ) -> Bool {
    let state = versions[version]
    let mayShare = state.base >= 0
    // The pages of a removed base are unknown.
    let hasBase = mayShare && view[state.base].serial == state.baseSerial
    var index = state.next
    while index < end && inlet.budget > 0 {
      inlet.budget &-= 1
      let page = view.page(version, index)
      let other = hasBase ? view.page(state.base, index) : -1
      var next = index &+ 1
      if page >= 0 && page != other {
        if !write(version, index, view, &inlet) { break }
      } else if page < 0 && (other >= 0 || mayShare && !hasBase) {
        while next < end && view.page(version, next) < 0 { next &+= 1 }
        inlet.budget &-= next &- index
        let record = LoopRecord(
          .hole, slot: slot, serial: state.serial, other: index, frames: next &- index)
        if !inlet.write(record) { break }
      }
      index = next
    }
    versions[version].next = index
    return index >= end
  }

  /// Writes a page.
  ///
  /// Returns false if the budget or the room is used up.
  @_noLocks
  private func write(
    _ version: Int, _ index: Int, _ view: ClipView, _ inlet: inout JournalInlet
  ) -> Bool {
    if inlet.budget <= 0 { return false }
    let page = view.page(version, index)
    if page < 0 { return true }
    inlet.budget &-= Self.pageCost
    return inlet.write(
      LoopRecord(.page, slot: slot, serial: versions[version].serial, other: index), page: page,
      view.sound(ofPage: page))
  }

  @_noLocks
  private func length(of version: Int, _ frames: Int, _ view: ClipView) -> LoopRecord {
    LoopRecord(
      .length, slot: slot, serial: view[version].serial,
      other: Int(Float(view[version].beat).bitPattern), layers: view[version].layers,
      frames: frames,
      round: frames == view[version].length ? view[version].round : Double(frames),
      clip: view[version].clip)
  }

  @_noLocks
  private mutating func writeLength(
    _ version: Int, _ frames: Int, _ view: ClipView, _ inlet: inout JournalInlet
  ) -> Bool {
    let record = length(of: version, frames, view)
    let last = versions[version].length
    if record.frames == last.frames && record.round == last.round && record.layers == last.layers
      && record.clip == last.clip && record.other == last.other
    {
      return true
    }
    if !inlet.write(record) { return false }
    versions[version].length = record
    return true
  }

  // MARK: - History

  @_noLocks
  private mutating func writeHistory(_ view: ClipView, _ inlet: inout JournalInlet) -> Bool {
    var isSame = view.count == historyCount && view.place == historyPlace
    for index in 0..<view.count where isSame {
      isSame = history[index] == view[view.versions[index]].serial
    }
    if isSame { return true }
    if inlet.room < view.count { return false }
    for index in 0..<view.count {
      history[index] = view[view.versions[index]].serial
      _ = inlet.write(
        LoopRecord(
          .history, slot: slot, count: view.count, serial: history[index], other: view.place))
    }
    historyCount = view.count
    historyPlace = view.place
    // The journal drops all others, except the one being recorded.
    for version in 0..<ClipView.mostVersions {
      let serial = versions[version].serial
      if serial != recording && !isInHistory(serial) { versions[version] = Version() }
    }
    return true
  }

  @_noLocks
  private func isInHistory(_ serial: UInt32) -> Bool {
    for index in 0..<historyCount where history[index] == serial { return true }
    return false
  }

  /// Writes the version being recorded, which is not in the history yet.
  @_noLocks
  private mutating func writeRecording(
    _ view: ClipView, isHistoryWritten: Bool, _ inlet: inout JournalInlet
  ) -> Bool {
    var version = view.recording
    for index in 0..<view.count where view.versions[index] == version { version = -1 }
    var serial: UInt32 = 0
    if version >= 0 {
      // Pages that still change are written later.
      let end = max(0, view.written &- Self.restingFrames) / LoopRecord.pageFrames
      if !begin(version, after: -1, view, &inlet) || !compare(version, end: end, view, &inlet) {
        return false
      }
      serial = versions[version].serial
    } else if !isHistoryWritten {
      return recording == 0
    }
    if recording != serial {
      if !inlet.write(LoopRecord(.recording, slot: slot, serial: serial)) { return false }
      // The journal drops the former one, unless it is in the history now.
      if !isInHistory(recording) {
        for other in 0..<ClipView.mostVersions where versions[other].serial == recording {
          versions[other] = Version()
        }
      }
      recording = serial
    }
    if version < 0 { return true }
    let written = Int64(view.written)
    let length = versions[version].length.frames
    if written >= length && written < length &+ Self.recordedFrames { return true }
    return writeLength(version, view.written, view, &inlet)
  }

  /// Writes the version of the history being overdubbed, and whether the clip grows.
  @_noLocks
  private mutating func writeOverdub(_ view: ClipView, _ inlet: inout JournalInlet) -> Bool {
    var serial: UInt32 = 0
    for index in 0..<view.count where view.versions[index] == view.overdub {
      serial = versions[view.overdub].serial
    }
    if serial == overdub && view.isGrowing == isGrowing { return true }
    let record = LoopRecord(
      .overdub, slot: slot, count: view.isGrowing ? 1 : 0, serial: serial, other: -1)
    if !inlet.write(record) { return false }
    overdub = serial
    isGrowing = view.isGrowing
    return true
  }

  // MARK: - Touched pages

  /// Writes the touched pages that have rested.
  @_noLocks
  private mutating func writeTouched(
    _ view: ClipView, at frame: Int64, _ inlet: inout JournalInlet
  ) {
    // The latest have no time yet.
    var place = view.touched.pointee.count &- 1
    while place >= 0 && view.touched.pointee[place].since == .max {
      view.touched.pointee[place].since = frame
      place &-= 1
    }
    while view.touched.pointee.count > 0 {
      let entry = view.touched.pointee[0]
      if isDue(entry, view) {
        if entry.since &+ Int64(Self.restingFrames) > frame { return }
        if !write(entry.version, entry.index, view, &inlet) { return }
      }
      view.touched.pointee.removeFirst()
    }
  }

  /// Whether the journal has an older state of a touched page, and a comparison won't write it.
  @_noLocks
  private func isDue(_ entry: TouchedPages.Entry, _ view: ClipView) -> Bool {
    entry.serial != 0 && view[entry.version].serial == entry.serial && has(entry.version, view)
      && entry.index < versions[entry.version].next
  }

  /// Writes all touched pages of a version.
  ///
  /// Returns whether that is done.
  @_noLocks
  private mutating func writeAllTouched(
    of version: Int, _ view: ClipView, _ inlet: inout JournalInlet
  ) -> Bool {
    for place in 0..<view.touched.pointee.count {
      let entry = view.touched.pointee[place]
      if entry.version != version || !isDue(entry, view) { continue }
      if !write(version, entry.index, view, &inlet) { return false }
      view.touched.pointee[place].serial = 0
    }
    return true
  }

  // MARK: - Phase

  /// Returns by how many frames cycles start later than written; nil if the loop isn't written as playing.
  @_noLocks
  func delay(ofBeginning beginning: Double, round: Double) -> Double? {
    if !isPhaseWritten || !wasPlaying { return nil }
    let apart = beginning - self.beginning
    let rounds = Double(Int64(apart / round + (apart < 0 ? -0.5 : 0.5)))
    return apart - rounds * round
  }

  /// Writes whether the loop plays, and an engine frame at which a cycle starts, if that is steady.
  @_noLocks
  mutating func followPhase(
    isPlaying: Bool, isSteady: Bool, beginning: Double, round: Double,
    _ inlet: inout JournalInlet
  ) {
    if isPhaseWritten && isPlaying == wasPlaying {
      if !isSteady { return }
      if let delay = delay(ofBeginning: beginning, round: round), abs(delay) < Self.leastPhase {
        return
      }
    }
    let record = LoopRecord(
      .phase, slot: slot, count: isPlaying ? 1 : 0, frames: Int(beginning))
    if !inlet.write(record) { return }
    isPhaseWritten = true
    wasPlaying = isPlaying
    self.beginning = beginning
  }
}
