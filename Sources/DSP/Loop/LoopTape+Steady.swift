/// The next frames of a clip, while they are heard unchanged.
///
/// They are in at most two pages, each with a left and a right side.
package struct SteadyClip: BitwiseCopyable, @unchecked Sendable {
  /// The left side of the page of the next frame.
  package let first: UnsafePointer<Float>
  /// The left side of the page after it.
  package let second: UnsafePointer<Float>
  /// The next frame, counted from the start of the first page.
  package let offset: Int
  /// The number of frames that are heard unchanged.
  package let frames: Int
  /// The number of frames in each side of a page.
  package static var pageFrames: Int { @_noLocks get { ClipPages.frames } }
}

extension LoopTape {
  /// Returns the next frames of the clip if they are heard unchanged by a warp that passes the tape unchanged;
  /// nil if a crossfade is ahead, at its end, or if the clip is being written, but for an overdub with a `feedback`
  /// that neither fades nor glides.
  @_noLocks
  package func steadyClip(feedback: Float? = nil) -> SteadyClip? {
    guard isLooping, fadeLeft == 0, !way.isBackward, !way.isOver, way.framesOver == 0, length > 0,
      way.version == currentVersion, !isRecording, !isGrowing,
      !isOverdubbing || isOverdubSteady(feedback: feedback)
    else { return nil }
    // The frames before the reader are unrolled, and the warp hasn't reached them.
    let ahead = framesAhead
    let start = way.frame &- ahead
    let seamEnd = way.hasTurned ? min(seam, length / 2) : 0
    let left = length &- Int(way.shift) &- way.frame &- 1
    guard place & 0xFFFF_FFFF == 0, ahead >= 0, ahead <= Self.longestPiece, start >= seamEnd,
      left > 0
    else { return nil }
    let table = history.pointee.memory
      .pages(of: way.version, from: start / ClipPages.frames)
    guard let first = table.first else { return nil }
    let offset = start % ClipPages.frames
    let room = (table.second == nil ? 1 : 2) &* ClipPages.frames &- offset
    if ahead > room || !isUnrolled(from: start, frames: ahead) { return nil }
    return SteadyClip(
      first: first, second: table.second ?? first, offset: offset, frames: min(left, room))
  }

  @_noLocks
  private func isOverdubSteady(feedback: Float?) -> Bool {
    guard let feedback, !isOverdubUndone, !overdub.isFalling, overdub.risen >= seam else {
      return false
    }
    return overdub.feedback == feedback
  }

  /// Whether the frames that the warp hasn't reached are those of the clip: a crossfade, or a layer that was
  /// added since, may have changed them.
  @_noLocks
  private func isUnrolled(from start: Int, frames: Int) -> Bool {
    history.pointee.memory.read(way.version, at: start, to: behind, frames: frames)
    let (left, right) = (
      unrolled.left(at: unrolled.head &- Int64(frames)),
      unrolled.right(at: unrolled.head &- Int64(frames))
    )
    var differences: UInt32 = 0
    for frame in 0..<frames {
      differences |= left[frame].bitPattern ^ behind.left[frame].bitPattern
      differences |= right[frame].bitPattern ^ behind.right[frame].bitPattern
    }
    return differences == 0
  }
}
