/// Persistence of the clip and its history.
extension LoopTape {
  /// A read-only view of the versions.
  package var view: ClipView {
    @_noLocks get { ClipView(history, recording, overdub, growth) }
  }

  /// Gives all versions new serial numbers, and starts to note the pages written to.
  @_noLocks
  package func startTracking() {
    history.pointee.memory.renumber()
    history.pointee.memory.touched.pointee.removeAll()
    history.pointee.memory.touched.pointee.isWanted = true
  }

  // MARK: - Restoring, before playback starts

  /// The number of pages free for all loops.
  package var freePages: Int { history.pointee.memory.freePages }

  /// The number of pages of the longest clip, including its tail.
  package var pagesOfClip: Int { history.pointee.memory.pagesOfClip }

  /// Returns a page of a restored version, the left channel and then the right, or nil if memory is
  /// short.
  package mutating func keptPage(_ version: Int, _ index: Int) -> UnsafeMutablePointer<Float>? {
    history.pointee.memory.ownPage(version, index)
  }

  /// Appends a restored version to the history, with its length, its exact loop length, and the approximate length
  /// of a beat.
  package mutating func addKept(
    _ version: Int, frames: Int, round: Double, beat: Double, layers: Int, clip: Int
  ) {
    history.pointee.memory.setLength(version, frames)
    history.pointee.memory.setRound(version, round)
    history.pointee.memory.setBeat(version, Self.exactBeat(round: self[version].round, near: beat))
    history.pointee.memory.versions[version].layers = layers
    history.pointee.memory.setClip(version, clip, latest: max(latestClip, clip))
    history.pointee.append(version)
  }

  /// Returns the length of a beat of which a cycle has a whole number, if one is within rounding of a known length.
  package static func exactBeat(round: Double, near beat: Double) -> Double {
    guard beat > 0, round > 0 else { return 0 }
    let whole = max(1, (round / beat).rounded())
    return abs(round / whole / beat - 1) < 1e-4 ? round / whole : beat
  }

  /// Gives a restored version its former serial number.
  package func setSerial(_ version: Int, _ serial: UInt32) {
    history.pointee.memory.versions[version].serial = serial
  }

  /// Ends restoring: drops the previous history and makes the version at `place` current.
  package mutating func finishKept(count: Int, place: Int) {
    while history.pointee.count > count, history.pointee.forgetStep() {}
    while history.pointee.place > place, history.pointee.goBack() {}
    rewind()
  }

  /// Synthesizes the tail of the current clip, if it is unknown.
  package mutating func makeUpTail() {
    let version = history.pointee.current
    mirrorTail(of: version, from: self[version].length)
  }

  /// Ends the overdub of the current clip where it broke off, with the fade of one that ended: `page` is the last
  /// one that it wrote, in reverse the first.
  package mutating func mend(behind page: Int, backward: Bool) {
    let version = history.pointee.current
    let edge = backward ? page * ClipPages.frames - 1 : (page + 1) * ClipPages.frames
    guard (0..<self[version].length).contains(edge) else { return }
    if !fadeOut(version, at: edge, backward: backward) && !backward {
      smoothen(version, behind: page)
    }
  }

  /// Removes the discontinuity between a page of a version and the next, over the length of a loop crossfade.
  private mutating func smoothen(_ version: Int, behind page: Int) {
    let next = (page + 1) * ClipPages.frames
    let count = min(seam, ClipPages.frames)
    history.pointee.memory.read(version, at: next - 1, to: behind, frames: 1)
    let (left, right) = (behind.left[0], behind.right[0])
    guard let sound = history.pointee.memory.ownPage(version, page + 1) else { return }
    let (leftStep, rightStep) = (left - sound[0], right - sound[ClipPages.frames])
    for frame in 0..<count {
      let share = Crossfade.eased(1 - Float(frame) / Float(count))
      sound[frame] += share * leftStep
      sound[ClipPages.frames + frame] += share * rightStep
    }
  }
}
