/// The clip and its former versions for who keeps them elsewhere, and from there.
extension LoopTape {
  /// The versions as they lie in memory.
  package var view: ClipView {
    @_noLocks get { ClipView(history, recording, overdub) }
  }

  /// The pages that were written to.
  package var touched: UnsafeMutablePointer<TouchedPages> {
    @_noLocks get { history.pointee.memory.touched }
  }

  // MARK: - From elsewhere, while nobody plays

  /// How many pages are free for clips of all loops.
  package var freePages: Int { history.pointee.memory.freePages }

  /// How many pages the longest clip has, what lies behind its end included.
  package var pagesOfClip: Int { history.pointee.memory.pagesOfClip }

  /// Begins a version that comes from elsewhere, like another one or empty; nil where there are too many.
  package mutating func beginKept(like other: Int?) -> Int? {
    history.pointee.memory.begin(like: other)
  }

  /// The memory of a page of such a version, the left frames and then the right ones; nil where none is
  /// left.
  package mutating func keptPage(_ version: Int, _ index: Int) -> UnsafeMutablePointer<Float>? {
    history.pointee.memory.ownPage(version, index)
  }

  /// Makes such a version the latest step: so many frames long, and a round of it as exactly.
  package mutating func addKept(
    _ version: Int, frames: Int, round: Double, layers: Int, clip: Int
  ) {
    history.pointee.memory.setLength(version, frames)
    history.pointee.memory.setRound(version, round)
    history.pointee.memory.layers[version] = layers
    history.pointee.memory.setClip(version, clip, latest: max(latestClip, clip))
    history.pointee.append(version)
  }

  /// Ends what comes from elsewhere: what there was before is gone, and the version at a place is heard.
  package mutating func finishKept(count: Int, place: Int) {
    while history.pointee.count > count, history.pointee.forgetStep() {}
    while history.pointee.place > place, history.pointee.goBack() {}
    rewind()
  }

  /// Makes up what lies behind the end of the clip that is heard, where nothing is known of it.
  package mutating func makeUpTail() {
    let version = history.pointee.current
    mirrorTail(of: version, from: history.pointee.memory.length(version))
  }

  /// Takes away the step between a page of the clip that is heard and the next one, within the time of a
  /// seam.
  package mutating func mend(behind page: Int) {
    let version = history.pointee.current
    let next = (page + 1) * ClipPages.frames
    guard next < history.pointee.memory.length(version) else { return }
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
