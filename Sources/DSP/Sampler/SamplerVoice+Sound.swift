internal import CRealtime

extension SamplerVoice {
  /// Adds what it sounds like; what `scratch` points at is as long as a step, and four frames more,
  /// on both sides.
  @_noLocks
  mutating func render(
    to output: Stereo, frames: Int, _ controllers: borrowing SamplerControllers,
    _ reader: borrowing SampleReader, _ bank: borrowing SincBank, scratch: Stereo
  ) {
    var done = 0
    while done < frames {
      if isOver { return }
      if stepDone >= stepFrames { goOn(controllers, bank) }
      var count = min(frames &- done, stepFrames &- stepDone)
      if !isSilent {
        count = readable(count)
        if count == 0 { return }
        read(count, reader, bank, scratch)
        mix(scratch, to: output.advanced(by: done), frames: count)
        turnBack()
      }
      stepDone &+= count
      done &+= count
    }
  }

  /// How many of the next frames can be read before it must turn back; 0 where it is over.
  @_noLocks
  private func readable(_ frames: Int) -> Int {
    let top = max(speed, speed &+ change &* Int64(frames))
    let end = sound.pointee.limit &+ Int64(SamplerSound.span) << 32
    if position &+ top &* Int64(frames) <= end { return frames }
    if position >= sound.pointee.limit { return 0 }
    return min(frames, Int((end &- position) / max(1, top)))
  }

  @_noLocks
  private mutating func read(
    _ frames: Int, _ reader: borrowing SampleReader, _ bank: borrowing SincBank, _ scratch: Stereo
  ) {
    let here = sound.pointee
    if table < 0 {
      if here.isStereo {
        reader.read(
          here.left, here.right, from: position, step: speed, change: change, to: scratch,
          frames: frames)
      } else {
        reader.read(
          here.left, from: position, step: speed, change: change, to: scratch.left, frames: frames)
      }
    } else if here.isStereo {
      bank.read(
        table: table, left: here.left.samples, right: here.right.samples, from: position,
        step: speed, to: scratch, frames: frames)
    } else {
      bank.read(
        table: table, here.left.samples, from: position, step: speed, to: scratch.left,
        frames: frames)
    }
    if isFiltered {
      tone.apply(scratch.left, scratch.right, isStereo: here.isStereo, frames: frames)
    }
    let count = Int64(frames)
    position &+= speed &* count &+ change &* (count &* (count &- 1) / 2)
    speed &+= change &* count
  }

  @_noLocks
  private func mix(_ scratch: Stereo, to output: Stereo, frames: Int) {
    let other = sound.pointee.isStereo ? scratch.right : scratch.left
    Self.add(
      scratch.left, gain: left, slope: leftSlope, from: stepDone, to: output.left, frames: frames)
    Self.add(
      other, gain: right, slope: rightSlope, from: stepDone, to: output.right, frames: frames)
  }

  /// Adds a sound with a gain that grows, counted from a frame of the step.
  @_noLocks
  @inline(__always)
  private static func add(
    _ sound: UnsafePointer<Float>, gain: Float, slope: Float, from first: Int,
    to output: UnsafeMutablePointer<Float>, frames: Int
  ) {
    var place = Float(first)
    for frame in 0..<frames {
      output[frame] += sound[frame] * (gain + slope * place)
      place += 1
    }
  }

  /// Goes back by the length of the loop where its end is out of sight.
  @_noLocks
  private mutating func turnBack() {
    let length = sound.pointee.loopLength
    let over = position &- sound.pointee.limit
    if length == 0 || over < 0 { return }
    position &-= (over / length &+ 1) &* length
  }
}
