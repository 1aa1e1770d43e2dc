internal import DSP

/// Tells in a journal what becomes of one loop: a few pages a block, so that each block costs about the
/// same.
///
/// What the journal has no room for is told later. Its reader can stop at any record: it has then the
/// history as it was told last, of which all versions were told before.
struct LoopScribe: ~Copyable {
  /// What may still be done in a block.
  struct Budget: BitwiseCopyable {
    /// How many pages may be told, and how many compared.
    var pages: Int
    var comparisons: Int

    /// The budget of a block of so many frames.
    @_noLocks
    init(frames: Int) {
      pages = max(4, frames / 8)
      comparisons = max(1024, 64 &* frames)
    }
  }

  /// What the journal knows of a version.
  private struct Version: BitwiseCopyable {
    // Its number among all that there were, and in the journal; 0 where that doesn't know it.
    var serial: UInt32 = 0
    var told: UInt32 = 0
    // The version that it was begun like, and its number.
    var base = -1
    var baseSerial: UInt32 = 0
    // The first page that was not compared with it.
    var next = 0
    var frames = -1
    var round = 0.0
    var layers = 0
    var clip = 0

    @_noLocks
    init() {}
  }

  // A page that is written to is told when that has most likely gone on to another.
  private static var restingFrames: Int64 { @_noLocks get { 1024 } }
  // So much of a recording is told at a time.
  private static var recordedFrames: Int { @_noLocks get { 1024 } }
  private static var mostVersions: Int { @_noLocks get { 64 } }
  // Where the loop is in its round is told again where it is off by so many frames.
  private static var leastPhase: Double { @_noLocks get { 48 } }

  private let slot: Int
  private let versions: UnsafeMutablePointer<Version>
  // The history as it was told last, and as it is.
  private let told: UnsafeMutablePointer<UInt32>
  private let present: UnsafeMutablePointer<UInt32>
  private var toldCount = 0
  private var toldPlace = 0
  // The version in the making as it was told last; who begins anew doesn't know.
  private var making: UInt32 = .max
  // The one that is being added to, likewise.
  private var adding: UInt32 = .max
  // Whether all was told but pages that were written to since, when the view had these two.
  private var isOutlineTold = false
  private var outlines = 0
  private var toldAdding = -1
  private var isPhaseTold = false
  private var wasPlaying = false
  private var beginning = 0.0

  /// A scribe of a loop, of which nothing is told yet.
  init(slot: Int) {
    self.slot = slot
    versions = .allocate(capacity: Self.mostVersions)
    versions.initialize(repeating: Version(), count: Self.mostVersions)
    told = .allocate(capacity: Self.mostVersions)
    told.initialize(repeating: 0, count: Self.mostVersions)
    present = .allocate(capacity: Self.mostVersions)
    present.initialize(repeating: 0, count: Self.mostVersions)
  }

  deinit {
    versions.deallocate()
    told.deallocate()
    present.deallocate()
  }

  /// Begins anew: nothing is told.
  @_noLocks
  mutating func forget() {
    for version in 0..<Self.mostVersions { versions[version] = Version() }
    toldCount = 0
    making = .max
    adding = .max
    isOutlineTold = false
    isPhaseTold = false
  }

  /// Takes a version for told that lies in the journal already, by its number there, but for its length.
  mutating func adopt(_ version: Int, as number: UInt32, _ view: ClipView) {
    var state = Version()
    state.serial = view.serial(version)
    state.told = number
    state.next = view.pagesOfClip
    versions[version] = state
  }

  /// Takes the history for told as it is, and the lengths of its versions.
  mutating func adoptHistory(_ view: ClipView) {
    for index in 0..<view.count {
      let version = view.versions[index]
      versions[version].frames = view.length(version)
      versions[version].round = view.round(version)
      versions[version].layers = view.layers(version)
      versions[version].clip = view.clip(version)
    }
    for index in 0..<view.count { told[index] = versions[view.versions[index]].told }
    toldCount = view.count
    toldPlace = view.place
  }

  // MARK: - A block

  /// Tells what has become of the loop; whether all of it is told.
  @_noLocks
  mutating func follow(
    _ view: ClipView, _ touched: UnsafeMutablePointer<TouchedPages>, at frame: Int64, isWhole: Bool,
    _ numbers: inout UInt32, _ journal: LoopJournalPointer, _ budget: inout Budget
  ) -> Bool {
    // While something is added to a version, nothing but its pages becomes another.
    var isSame =
      isOutlineTold && view.outlines == outlines && view.place == toldPlace
      && view.count == toldCount && view.adding == toldAdding && view.making < 0 && isWhole
    if !isSame || touched.pointee.count > 0 {
      if touched.pointee.isOverfull {
        tellAgain(touched)
        isSame = false
      }
      tellTouched(view, touched, at: frame, journal, &budget)
      if !isSame {
        isSame = tellOutline(view, touched, isWhole: isWhole, &numbers, journal, &budget)
      }
    }
    return isSame && view.adding < 0 && touched.pointee.count == 0
  }

  /// Tells the versions, their order, and which one is being made or added to; whether all of it is told.
  @_noLocks
  private mutating func tellOutline(
    _ view: ClipView, _ touched: UnsafeMutablePointer<TouchedPages>, isWhole: Bool,
    _ numbers: inout UInt32, _ journal: LoopJournalPointer, _ budget: inout Budget
  ) -> Bool {
    var isTold = true
    var before = -1
    for index in 0..<view.count {
      let version = view.versions[index]
      if !bring(version, after: before, view, touched, &numbers, journal, &budget)
        || !tellLength(version, view.length(version), view, journal)
      {
        isTold = false
        break
      }
      present[index] = versions[version].told
      before = version
    }
    // A version of which the end is still put together is none to go back to.
    if isTold && isWhole { isTold = tellHistory(view, journal) }
    let isMakingTold =
      tellMaking(view, touched, isTold, &numbers, journal, &budget)
      && (!isTold || tellAdding(view, journal))
    isOutlineTold = isTold && isMakingTold && isWhole && view.making < 0
    outlines = view.outlines
    toldAdding = view.adding
    return isOutlineTold
  }

  /// By how many frames a round begins later than was told; nil where it was not told that the loop
  /// plays.
  @_noLocks
  func delay(ofBeginning beginning: Double, round: Double) -> Double? {
    if !isPhaseTold || !wasPlaying { return nil }
    let apart = beginning - self.beginning
    let rounds = Double(Int64(apart / round + (apart < 0 ? -0.5 : 0.5)))
    return apart - rounds * round
  }

  /// Tells whether the loop plays, and a frame of the engine's time at which a round of it begins, if it
  /// is steady.
  @_noLocks
  mutating func followPhase(
    isPlaying: Bool, isSteady: Bool, beginning: Double, round: Double,
    _ journal: LoopJournalPointer
  ) {
    if isPhaseTold && isPlaying == wasPlaying {
      if !isSteady { return }
      if let delay = delay(ofBeginning: beginning, round: round), abs(delay) < Self.leastPhase {
        return
      }
    }
    if !journal.phase(slot, isPlaying: isPlaying, beginning: Int64(beginning)) { return }
    isPhaseTold = true
    wasPlaying = isPlaying
    self.beginning = beginning
  }

  // MARK: - Versions

  @_noLocks
  private func knows(_ version: Int, _ view: ClipView) -> Bool {
    versions[version].told != 0 && versions[version].serial == view.serial(version)
  }

  /// Has the journal know a version, and all of its pages; whether it does.
  @_noLocks
  private mutating func bring(
    _ version: Int, after before: Int, _ view: ClipView,
    _ touched: UnsafeMutablePointer<TouchedPages>,
    _ numbers: inout UInt32, _ journal: LoopJournalPointer, _ budget: inout Budget
  ) -> Bool {
    if !knows(version, view) {
      let isLike = before >= 0 && view.clip(before) == view.clip(version)
      // What it has in common with another one must be told of that.
      if isLike && !tellAll(of: before, view, touched, journal, &budget) { return false }
      let number = numbers &+ 1
      let like = isLike ? versions[before].told : 0
      if !journal.begin(slot, version: number, like: like) { return false }
      numbers = number
      var state = Version()
      state.serial = view.serial(version)
      state.told = number
      if isLike {
        state.base = before
        state.baseSerial = view.serial(before)
      }
      versions[version] = state
    }
    return compare(version, view, journal, &budget)
  }

  /// Tells the pages that a version has for itself, from where that was left off; whether it is through.
  @_noLocks
  private mutating func compare(
    _ version: Int, _ view: ClipView, _ journal: LoopJournalPointer, _ budget: inout Budget
  ) -> Bool {
    let state = versions[version]
    // A base that is gone, or was begun anew, has nothing in common with it that is known.
    let hasBase = state.base >= 0 && view.serial(state.base) == state.baseSerial
    let mayHaveMore = state.base >= 0
    var index = state.next
    while index < view.pagesOfClip && budget.comparisons > 0 {
      budget.comparisons &-= 1
      let page = view.page(version, index)
      let other = hasBase ? view.page(state.base, index) : -1
      if page >= 0 && page != other {
        if budget.pages <= 0 || !tell(version, index, view, journal, &budget) { break }
      } else if page < 0 && (other >= 0 || mayHaveMore && !hasBase) {
        var end = index &+ 1
        while end < view.pagesOfClip && view.page(version, end) < 0 { end &+= 1 }
        budget.comparisons &-= end &- index
        if !journal.hole(slot, state.told, index: index, pages: end &- index) { break }
        index = end
        continue
      }
      index &+= 1
    }
    versions[version].next = index
    return index == view.pagesOfClip
  }

  @_noLocks
  private func tell(
    _ version: Int, _ index: Int, _ view: ClipView, _ journal: LoopJournalPointer,
    _ budget: inout Budget
  ) -> Bool {
    let page = view.page(version, index)
    if page < 0 { return true }
    let sound = view.sound(ofPage: page)
    budget.pages &-= 1
    return journal.page(
      slot, versions[version].told, index: index, left: sound,
      right: sound + LoopRecord.pageFrames)
  }

  @_noLocks
  private mutating func tellLength(
    _ version: Int, _ frames: Int, _ view: ClipView, _ journal: LoopJournalPointer
  ) -> Bool {
    let state = versions[version]
    let (layers, clip) = (view.layers(version), view.clip(version))
    let round = frames == view.length(version) ? view.round(version) : Double(frames)
    if frames == state.frames && round == state.round && layers == state.layers
      && clip == state.clip
    {
      return true
    }
    if !journal.length(
      slot, state.told, frames: frames, round: round, layers: layers, clip: clip)
    {
      return false
    }
    versions[version].frames = frames
    versions[version].round = round
    versions[version].layers = layers
    versions[version].clip = clip
    return true
  }

  @_noLocks
  private mutating func tellHistory(_ view: ClipView, _ journal: LoopJournalPointer) -> Bool {
    var isSame = view.count == toldCount && view.place == toldPlace
    var index = 0
    while isSame && index < view.count {
      isSame = told[index] == present[index]
      index &+= 1
    }
    if isSame { return true }
    if !journal.history(slot, place: view.place, present, count: view.count) { return false }
    for index in 0..<view.count { told[index] = present[index] }
    toldCount = view.count
    toldPlace = view.place
    forgetOthers()
    return true
  }

  /// Forgets the versions that the journal has forgotten: it has those in the history and the one in the
  /// making.
  @_noLocks
  private mutating func forgetOthers() {
    for version in 0..<Self.mostVersions where versions[version].told != 0 {
      let number = versions[version].told
      var isOther = number != making
      var index = 0
      while isOther && index < toldCount {
        isOther = told[index] != number
        index &+= 1
      }
      if isOther { versions[version] = Version() }
    }
  }

  /// Tells of what is being recorded, which is not in the history yet.
  @_noLocks
  private mutating func tellMaking(
    _ view: ClipView, _ touched: UnsafeMutablePointer<TouchedPages>, _ isHistoryTold: Bool,
    _ numbers: inout UInt32, _ journal: LoopJournalPointer, _ budget: inout Budget
  ) -> Bool {
    var version = view.making
    for index in 0..<view.count where view.versions[index] == version { version = -1 }
    if version < 0 {
      if making == 0 || !isHistoryTold { return making == 0 }
      if !journal.making(slot, 0) { return false }
      making = 0
      forgetOthers()
      return true
    }
    if !bring(version, after: -1, view, touched, &numbers, journal, &budget) { return false }
    let number = versions[version].told
    if making != number {
      if !journal.making(slot, number) { return false }
      // The one before is forgotten, unless it has come into the history.
      forgetMade(number)
    }
    let length = versions[version].frames
    if view.written < length || view.written >= length &+ Self.recordedFrames {
      return tellLength(version, view.written, view, journal)
    }
    return true
  }

  /// Tells which version of the history is being added to.
  @_noLocks
  private mutating func tellAdding(_ view: ClipView, _ journal: LoopJournalPointer) -> Bool {
    var number: UInt32 = 0
    for index in 0..<view.count where view.versions[index] == view.adding {
      number = versions[view.adding].told
    }
    if number == adding { return true }
    if !journal.adding(slot, number) { return false }
    adding = number
    return true
  }

  @_noLocks
  private mutating func forgetMade(_ next: UInt32) {
    let former = making
    making = next
    if former == 0 { return }
    for index in 0..<toldCount where told[index] == former { return }
    for version in 0..<Self.mostVersions where versions[version].told == former {
      versions[version] = Version()
    }
  }

  // MARK: - Pages that were written to

  /// Tells those that have rested.
  @_noLocks
  private mutating func tellTouched(
    _ view: ClipView, _ touched: UnsafeMutablePointer<TouchedPages>, at frame: Int64,
    _ journal: LoopJournalPointer, _ budget: inout Budget
  ) {
    // The latest come without a time.
    var place = touched.pointee.count &- 1
    while place >= 0 && touched.pointee[place].since == .max {
      touched.pointee[place].since = frame
      place &-= 1
    }
    while touched.pointee.count > 0 {
      let entry = touched.pointee[0]
      if isOfUse(entry, view) {
        if entry.since &+ Self.restingFrames > frame || budget.pages <= 0 { return }
        if !tell(entry.version, entry.index, view, journal, &budget) { return }
      }
      touched.pointee.removeFirst()
    }
  }

  /// Whether the journal has another page than this one is now, and is not told anyway.
  @_noLocks
  private func isOfUse(_ entry: TouchedPages.Entry, _ view: ClipView) -> Bool {
    entry.serial != 0 && view.serial(entry.version) == entry.serial
      && knows(entry.version, view) && entry.index < versions[entry.version].next
  }

  /// Tells all pages of a version that were written to; whether that is done.
  @_noLocks
  private mutating func tellAll(
    of version: Int, _ view: ClipView, _ touched: UnsafeMutablePointer<TouchedPages>,
    _ journal: LoopJournalPointer, _ budget: inout Budget
  ) -> Bool {
    for place in 0..<touched.pointee.count {
      let entry = touched.pointee[place]
      if entry.version != version || !isOfUse(entry, view) { continue }
      if budget.pages <= 0 || !tell(version, entry.index, view, journal, &budget) { return false }
      touched.pointee[place].serial = 0
    }
    return true
  }

  /// Has all pages compared anew, where it is not known any more which were written to.
  @_noLocks
  private mutating func tellAgain(_ touched: UnsafeMutablePointer<TouchedPages>) {
    touched.pointee.removeAll()
    for version in 0..<Self.mostVersions { versions[version].next = 0 }
  }
}
