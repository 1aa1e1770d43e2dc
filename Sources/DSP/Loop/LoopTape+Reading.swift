internal import CRealtime

extension LoopTape {
  /// Reads the next frames from a playhead, at most `longestPiece`, and returns the advanced
  /// playhead.
  @_noLocks
  func read(_ start: LoopReader, to out: Stereo, frames: Int) -> LoopReader {
    var reader = start
    let length = self[reader.version].length
    var done = 0
    while done < frames {
      let part = out.advanced(by: done)
      let rest = frames &- done
      if length == 0 || reader.isOver {
        part.clear(frames: rest)
        if reader.isOver { reader.framesOver &+= rest }
        return reader
      }
      if reader.isBackward {
        done &+= readBackward(&reader, length, to: part, frames: rest)
      } else if reader.frame < (isLooping ? length &- Int(reader.shift) : length) {
        done &+= readForward(&reader, length, to: part, frames: rest)
      } else {
        done &+= readBehind(&reader, length, to: part, frames: rest)
      }
    }
    return reader
  }

  /// Returns the length of the loop crossfade for a clip length.
  @_noLocks
  private func seam(ofLength length: Int) -> Int { min(seam, length / 2) }

  @_noLocks
  private func readForward(
    _ reader: inout LoopReader, _ length: Int, to out: Stereo, frames: Int
  ) -> Int {
    let end = isLooping ? length &- Int(reader.shift) : length
    let count = min(frames, end &- reader.frame)
    history.pointee.memory.read(reader.version, at: reader.frame, to: out, frames: count)
    if reader.hasTurned {
      mixSeam(
        reader.version, length &- Int(reader.formerShift), at: reader.frame, to: out, frames: count,
        rising: false)
    }
    reader.frame &+= count
    if reader.frame == end && isLooping {
      reader.frame = 0
      turn(&reader)
    }
    return count
  }

  /// Starts the next cycle.
  @_noLocks
  private func turn(_ reader: inout LoopReader) {
    reader.hasTurned = true
    reader.formerShift = reader.shift
    let version = reader.version
    let missing =
      Double(self[version].length) - self[version].round
    if missing <= 0 {
      reader.shift = 0
      return
    }
    // Drops a frame when the accumulated fraction is used up.
    reader.phase &-= UInt32(missing * 4_294_967_296)
    reader.shift = shift(of: reader)
  }

  @_noLocks
  private func readBackward(
    _ reader: inout LoopReader, _ length: Int, to out: Stereo, frames: Int
  ) -> Int {
    reader.frame = min(reader.frame, length &- 1)
    let count = min(frames, reader.frame &+ 1)
    let start = reader.frame &+ 1 &- count
    history.pointee.memory.read(reader.version, at: start, to: out, frames: count)
    mixSeam(
      reader.version, length &- Int(reader.shift), at: start, to: out, frames: count,
      rising: !isLooping)
    for index in 0..<count / 2 {
      let last = count &- 1 &- index
      (out.left[index], out.left[last]) = (out.left[last], out.left[index])
      (out.right[index], out.right[last]) = (out.right[last], out.right[index])
    }
    reader.frame &-= count
    if reader.frame < 0 {
      reader.frame = isLooping ? length &- 1 &- Int(reader.shift) : 0
      turn(&reader)
      reader.isOver = !isLooping
    }
    return count
  }

  /// Reads the tail recorded after the end, with a fade-out.
  @_noLocks
  private func readBehind(
    _ reader: inout LoopReader, _ length: Int, to out: Stereo, frames: Int
  ) -> Int {
    let seam = seam(ofLength: length)
    let count = min(frames, length &+ seam &- reader.frame)
    if count <= 0 {
      reader.isOver = true
      return 0
    }
    history.pointee.memory.read(reader.version, at: reader.frame, to: out, frames: count)
    for index in 0..<count {
      let share = (Float(length &+ seam &- reader.frame &- index) - 0.5) / Float(seam)
      let gain = Crossfade.eased(share)
      out.left[index] *= gain
      out.right[index] *= gain
    }
    reader.frame &+= count
    return count
  }

  /// Fades the start in, either from the tail after the end of the cycle or from silence.
  @_noLocks
  private func mixSeam(
    _ version: Int, _ length: Int, at start: Int, to out: Stereo, frames: Int, rising: Bool
  ) {
    let seam = seam(ofLength: length)
    if start >= seam { return }
    let count = min(frames, seam &- start)
    if rising {
      behind.clear(frames: count)
    } else {
      history.pointee.memory.read(version, at: length &+ start, to: behind, frames: count)
    }
    for index in 0..<count {
      let share = Crossfade.eased((Float(start &+ index) + 0.5) / Float(seam))
      out.left[index] = behind.left[index] + share * (out.left[index] - behind.left[index])
      out.right[index] = behind.right[index] + share * (out.right[index] - behind.right[index])
    }
  }
}
