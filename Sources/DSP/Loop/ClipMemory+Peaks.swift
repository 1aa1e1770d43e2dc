/// Waveform peaks for display, computed on demand and cached until the page is written again.
extension ClipMemory {
  /// The number of frames per cell, each of which has one peak value.
  static var cellFrames: Int { @_noLocks get { 64 } }
  static var cellsOfPage: Int { @_noLocks get { pageFrames / cellFrames } }

  @_noLocks
  func forgetPeaks(ofPage page: Int) { pages.pointee.peaks[page &* Self.cellsOfPage] = -1 }

  /// Returns the peak magnitude of both channels in a range of a version, rounded outward to whole
  /// cells.
  ///
  /// Each page that has to be scanned takes one from `budget`. Returns nil if the budget runs out;
  /// the next call resumes from there.
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
