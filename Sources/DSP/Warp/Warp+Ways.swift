/// Loops and songs through a warp: sources that always have more frames, whatever the rate.
extension Warp {
  /// Renders the next frames of a loop.
  @_noLocks
  package mutating func process(_ loop: inout LoopTape, to out: Stereo, frames: Int) {
    var done = 0
    while done < frames {
      let count = beginPiece(from: loop.unrolled.head, frames: frames &- done)
      // Up to and including the position after the last frame.
      loop.unroll(to: step.place(ofFrame: count), reading: framesAhead)
      renderPiece(loop.unrolled, to: out.advanced(by: done), frames: count)
      done &+= count
    }
    loop.framesToKeep = framesToKeep
  }

  /// Renders frames from a position on a tape, which is followed exactly, at a rate; both 32.32 fixed-point.
  @_noLocks
  package mutating func process(
    _ tape: borrowing Tape, from place: Int64, rate: Int64, to out: Stereo, frames: Int
  ) {
    var done = 0
    while done < frames {
      let step = WarpStep(place: place &+ Int64(done) &* rate, rate: rate, pitch: 1)
      let count = beginPiece(at: step, frames: frames &- done)
      renderPiece(tape, to: out.advanced(by: done), frames: count)
      done &+= count
    }
  }

  /// Renders the next frames of a song.
  @_noLocks
  package mutating func process(_ song: inout SongTape, to out: Stereo, frames: Int) {
    var done = 0
    while done < frames {
      let count = beginPiece(from: song.start, frames: frames &- done)
      song.lay(to: step.place(ofFrame: count), reading: framesAhead)
      renderPiece(song.laid, to: out.advanced(by: done), frames: count)
      done &+= count
    }
  }

  /// Renders the next frames of a song through two warps with their own pitch and engine.
  ///
  /// The other warp follows the position and rate of this one.
  @_noLocks
  package mutating func process(
    _ song: inout SongTape, to out: Stereo, beside other: inout Warp, to otherOut: Stereo,
    frames: Int
  ) {
    var done = 0
    while done < frames {
      let own = beginPiece(from: song.start, frames: frames &- done)
      let count = other.beginPiece(at: step, frames: own)
      song.lay(to: step.place(ofFrame: count))
      renderPiece(song.laid, to: out.advanced(by: done), frames: count)
      other.renderPiece(song.laid, to: otherOut.advanced(by: done), frames: count)
      done &+= count
    }
  }
}
