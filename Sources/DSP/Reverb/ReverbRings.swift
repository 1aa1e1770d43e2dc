/// Ring buffers of equal size, one after the other.
struct ReverbRings: BitwiseCopyable {
  let count: Int
  private let first: ReverbRing
  private let footprint: Int

  init(in memory: UnsafeMutablePointer<Float>, frames: Int, count: Int) {
    self.count = count
    first = ReverbRing(in: memory, frames: frames)
    footprint = ReverbRing.footprint(frames: frames)
  }

  subscript(index: Int) -> ReverbRing {
    @_noLocks @inline(__always) get { first.advanced(by: index &* footprint) }
  }

  /// Mirrors the current chunk of all rings if it is at their start.
  @_noLocks
  func close(_ clock: ReverbClock) {
    guard first.mirrors(clock) else { return }
    for index in 0..<count { self[index].close(clock) }
  }
}
