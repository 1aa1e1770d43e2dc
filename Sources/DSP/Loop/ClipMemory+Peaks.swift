/// The peaks of clips, for pictures of them: found when they are asked for, and then kept with their
/// page until that is written to.
extension ClipMemory {
  /// The frames of a cell, the part of a page of which a peak is kept.
  static var cellFrames: Int { @_noLocks get { 64 } }
  static var cellsOfPage: Int { @_noLocks get { pageFrames / cellFrames } }

  @_noLocks
  func forgetPeaks(ofPage page: Int) { pages.pointee.peaks[page &* Self.cellsOfPage] = -1 }

  /// Finds the greatest magnitude on both sides in a stretch of a version, as far as the cells reach
  /// that it touches.
  ///
  /// Each page that must be read for it takes one from `budget`; nil where that was not enough, and
  /// the next attempt goes on from there.
  @_noLocks
  func peak(_ version: Int, from start: Int, to end: Int, budget: inout Int) -> Float? {
    let table = tables + version &* pagesOfClip
    let last = min(end, pagesOfClip &* Self.pageFrames)
    var cell = start / Self.cellFrames
    var peak: Float = 0
    while cell &* Self.cellFrames < last {
      let index = cell / Self.cellsOfPage
      let number = Int(table[index])
      let next = (index &+ 1) &* Self.cellsOfPage
      if number < 0 {
        cell = next
        continue
      }
      let cells = pages.pointee.peaks + number &* Self.cellsOfPage
      if cells[0] < 0 {
        if budget <= 0 { return nil }
        budget &-= 1
        measure(page(number), to: cells)
      }
      while cell < next && cell &* Self.cellFrames < last {
        peak = max(peak, cells[cell % Self.cellsOfPage])
        cell &+= 1
      }
    }
    return peak
  }

  @_noLocks
  private func measure(
    _ page: UnsafeMutablePointer<Float>, to cells: UnsafeMutablePointer<Float>
  ) {
    for cell in 0..<Self.cellsOfPage {
      let left = page + cell &* Self.cellFrames
      let right = left + Self.pageFrames
      cells[cell] = max(
        Magnitude(left, frames: Self.cellFrames).peak,
        Magnitude(right, frames: Self.cellFrames).peak)
    }
  }
}
