internal import CRealtime

extension SamplerVoice {
  /// Renders the voice and adds it to `output`.
  ///
  /// `spare` is one step long.
  @_noLocks
  mutating func render(
    to output: Stereo, frames: Int, _ controllers: borrowing SamplerControllers,
    _ reader: borrowing SampleReader, spare: Stereo
  ) {
    isUnheard = false
    var done = 0
    while done < frames {
      if stepDone >= stepFrames {
        if isOver { return }
        goOn(controllers)
        if !isSilent { read(reader, spare) }
      }
      let count = min(frames &- done, stepFrames &- stepDone)
      if !isSilent { mix(to: output.advanced(by: done), frames: count) }
      stepDone &+= count
      done &+= count
    }
  }

  /// Reads and filters one step.
  @_noLocks
  private mutating func read(_ reader: borrowing SampleReader, _ spare: Stereo) {
    let top = Float(max(speed, speedEnd)) * (1 / 4_294_967_296)
    let next = sound.pointee.level(forSpeed: top)
    if level < 0 { level = next }
    read(level: level, reader, step)
    if next != level {
      // Crossfades between levels within the step.
      level = next
      read(level: next, reader, spare)
      Self.blend(step.left, spare.left, frames: stepFrames)
      if sound.pointee.isStereo { Self.blend(step.right, spare.right, frames: stepFrames) }
    }
    if isFiltered {
      tone.apply(to: step, isStereo: sound.pointee.isStereo, frames: stepFrames)
    }
    let count = Int64(stepFrames)
    position &+= speed &* count &+ change &* (count &* (count &- 1) / 2)
    turnBack()
  }

  @_noLocks
  private func read(level: Int, _ reader: borrowing SampleReader, _ output: Stereo) {
    let part = sound.pointee.part(level: level, at: position)
    let (place, step) = (position >> part.halving, speed >> part.halving)
    if sound.pointee.isStereo {
      reader.read(
        part.left, part.right, from: place, step: step, change: change >> part.halving,
        to: output, frames: stepFrames)
    } else {
      reader.read(
        part.left, from: place, step: step, change: change >> part.halving, to: output.left,
        frames: stepFrames)
    }
  }

  @_noLocks
  private static func blend(
    _ sound: UnsafeMutablePointer<Float>, _ next: UnsafePointer<Float>, frames: Int
  ) {
    let share = 1 / Float(frames)
    for frame in 0..<frames {
      sound[frame] += (next[frame] - sound[frame]) * ((Float(frame) + 0.5) * share)
    }
  }

  /// Jumps back by the loop length once the loop end is out of the interpolator's reach.
  @_noLocks
  private mutating func turnBack() {
    let length = sound.pointee.loopLength
    let over = position &- sound.pointee.limit
    if length == 0 || over < 0 { return }
    position &-= (over / length &+ 1) &* length
  }

  /// Adds the next frames of the step to the output.
  @_noLocks
  private func mix(to output: Stereo, frames: Int) {
    let first = step.left + stepDone
    let other = sound.pointee.isStereo ? step.right + stepDone : first
    var places = SIMD4<Float>(0, 1, 2, 3) + Float(stepDone)
    var frame = 0
    while frame &+ 4 <= frames {
      let near = first.four(at: frame) * (left + leftSlope * places)
      let far = other.four(at: frame) * (right + rightSlope * places)
      output.left.setFour(at: frame, output.left.four(at: frame) + near)
      output.right.setFour(at: frame, output.right.four(at: frame) + far)
      places += 4
      frame &+= 4
    }
    while frame < frames {
      let place = Float(stepDone &+ frame)
      output.left[frame] += first[frame] * (left + leftSlope * place)
      output.right[frame] += other[frame] * (right + rightSlope * place)
      frame &+= 1
    }
  }
}
