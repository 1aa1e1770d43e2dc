internal import CRealtime

/// A range of samples of one channel, which may start before frame 0.
final class SampleRun {
  // The reach of the filters applied to it: one for a level, and one for half-way samples.
  private static var beyond: Int { 2 * SoundWorkshop.reach }

  /// The first frame, and the one after the last.
  let first: Int, last: Int
  /// The frames outside of which it is silent.
  private(set) var content: Range<Int>
  /// The address of frame 0.
  let origin: UnsafeMutablePointer<Float>
  private let buffers = Buffers()

  /// Creates silence.
  init(from first: Int, to last: Int) {
    self.first = first
    self.last = last
    content = first..<last
    origin = buffers.floats(last - first) - first
  }

  /// Creates a channel with silence before it, and silence or its loop after it, as far as the
  /// filters need to produce the frames from `first` to `last`.
  convenience init(
    _ channel: [Float], end: Int, loop: Range<Int>?, from first: Int, to last: Int
  ) {
    self.init(from: first - Self.beyond, to: last + Self.beyond)
    for frame in 0..<min(loop?.upperBound ?? end, channel.count) {
      let sample = channel[frame]
      origin[frame] = sample.isFinite ? sample : 0
    }
    content = 0..<(loop == nil ? end : self.last)
    if let loop {
      for frame in loop.upperBound..<self.last { origin[frame] = origin[frame - loop.count] }
    }
  }

  /// Copies frames, zero-padded outside the range.
  func copy(from start: Int, count: Int, to output: UnsafeMutablePointer<Float>) {
    let known = max(start, first)..<max(start, first, min(start + count, last))
    let (before, after) = (known.lowerBound - start, start + count - known.upperBound)
    rt_zero(output, min(before, count))
    rt_copy(output + before, origin + known.lowerBound, known.count)
    if after > 0, before < count { rt_zero(output + (count - after), after) }
  }

  /// Clears all frames further than `reach` from another plane's content.
  ///
  /// The FFT leaves rounding noise there, which would be audible in silence.
  func keep(_ other: Range<Int>, and reach: Int) {
    let wanted = (other.lowerBound - reach..<other.upperBound + reach)
    content = wanted.clamped(to: first..<last)
    rt_zero(origin + first, content.lowerBound - first)
    rt_zero(origin + content.upperBound, last - content.upperBound)
  }

  /// Returns the channel low-passed for a level; 0 is the original.
  func samples(level: Int, _ workshop: SoundWorkshop) -> SampleRun {
    guard level > 0 else { return self }
    let made = SampleRun(from: first + SoundWorkshop.reach, to: last - SoundWorkshop.reach)
    workshop.lower(self, level: level, to: made)
    return made
  }

  /// Returns the half-way samples of the frames from `first` to `last`.
  func halves(from first: Int, to last: Int, _ workshop: SoundWorkshop) -> SampleRun {
    let made = SampleRun(from: first, to: last)
    workshop.halve(self, to: made)
    return made
  }

  /// Returns the last frame from `first` to `last` that differs from `other` by more than `most`.
  func lastDifference(from other: SampleRun, first: Int, last: Int, most: Float) -> Int? {
    var frame = last
    while frame > first {
      frame -= 1
      if abs(origin[frame] - other.origin[frame]) > most { return frame }
    }
    return nil
  }
}
