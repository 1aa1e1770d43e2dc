internal import CRealtime

/// The sample memory of a sound, owned by its instrument.
///
/// A loop is unrolled past its end as far as a read can reach. Playback continues past the loop end
/// until no read reaches samples before it, and then jumps back by the loop length, where the data
/// is identical.
final class SoundMemory: @unchecked Sendable {
  // Padding before the first sample and after the last read position.
  private static var margin: Int { 32 }
  // Padding for reads of sixteen samples at a time.
  private static var spare: Int { 16 }
  // Interpolated and low-passed samples can exceed the peak of the original ones.
  private static var headroom: Float { 1.25 }
  // One step of 16 bits; smaller differences don't count.
  private static var leastDifference: Float { 1.25 / 32_767 }
  // The level that has almost nothing in the upper half of the spectrum.
  private static var dullLevel: Int { 3 }
  // The samples read past the start of a step.
  private static var beyond: Int { SamplerSound.span + margin }
  // A shorter rest isn't worth its padding.
  private static var leastRest: Int { 4096 }

  let sound: SamplerSound
  /// The size of the memory, in bytes.
  let bytes: Int
  private let buffers = Buffers()

  /// The memory layout of a sound.
  private struct Layout {
    /// Where playback ends or jumps back, in frames.
    let limit: Int
    /// The number of frames stored from the first one.
    let length: Int
    let levels: Int

    init(end: Int, loop: Range<Int>?, fastest: Float) {
      limit = (loop?.upperBound ?? end) + SamplerSound.reach
      length = limit + SamplerSound.span + margin
      levels = SamplerSound.level(forSpeed: fastest) + 1
    }

    /// Returns the bytes of one array of `length` frames, with padding.
    static func bytes(_ length: Int, isCompact: Bool) -> Int {
      (margin + length + spare)
        * (isCompact ? MemoryLayout<Int16>.stride : MemoryLayout<Float>.stride)
    }
  }

  /// Returns the upper bound of a sound's memory, in bytes, for one or two channels.
  static func bytes(
    channels: Int, isCompact: Bool, end: Int, loop: Range<Int>?, fastest: Float
  ) -> Int {
    let layout = Layout(end: end, loop: loop, fastest: fastest)
    return layout.levels * 2 * max(1, min(2, channels))
      * Layout.bytes(layout.length, isCompact: isCompact)
  }

  /// Creates silence.
  init() {
    let layout = Layout(end: 0, loop: nil, fastest: 1)
    bytes = Layout.bytes(layout.length, isCompact: false)
    let silence = UnsafeRawPointer(
      buffers.floats(Self.margin + layout.length + Self.spare) + Self.margin)
    let side = SoundSide(samples: silence, halves: silence, isCompact: false)
    sound = SamplerSound(
      limit: Int64(layout.limit) << 32, loopLength: 0, isStereo: false, gain: 1, count: 1,
      levels: buffers.box(SoundLevel(part: SoundPart([side]), end: .max)))
  }

  /// Creates a sound of one or two channels that plays to `end` or loops forever.
  ///
  /// A compact sound stores 16-bit samples, and of each level only the part that differs from the
  /// first.
  init(
    _ channels: [[Float]], isCompact: Bool, end: Int, loop: Range<Int>?, fastest: Float,
    with workshop: SoundWorkshop
  ) {
    let layout = Layout(end: end, loop: loop, fastest: fastest)
    let (first, length) = (-Self.margin, layout.length)
    let sources = channels.prefix(2).map {
      SampleRun($0, end: end, loop: loop, from: first, to: length + Self.spare)
    }
    let gain = isCompact ? Self.gain(channels) : nil
    let buffers = self.buffers
    var bytes = 0
    func lowered(to level: Int) -> [SampleRun] {
      sources.map { $0.samples(level: level, workshop) }
    }
    /// Returns the frame from which a level is equivalent to the original; nil if it is everywhere.
    func agreement(of lows: [SampleRun]) -> Int? {
      zip(sources, lows).compactMap {
        $0.lastDifference(from: $1, first: first, last: length, most: Self.leastDifference)
      }.max().map { $0 + SamplerSound.reach }
    }
    let dull = isCompact ? lowered(to: Self.dullLevel) : []
    var rest: SoundRest?
    if let gain {
      let start = max(0, agreement(of: dull) ?? 0)
      if length - start > Self.leastRest {
        let frames = start / 2 - Self.margin / 2..<(length + Self.spare) / 2
        let sides = sources.map { source in
          let places = [0, 1].map { Self.half(source, frames, $0, gain: gain, in: buffers) }
          bytes += 2 * frames.count * MemoryLayout<Int16>.stride
          return SoundSide(samples: places[0], halves: places[1], isCompact: true)
        }
        rest = SoundRest(part: SoundPart(sides, halving: 1), start: Int64(start) << 32)
      }
    }
    var levels: [SoundLevel] = []
    for level in 0..<layout.levels {
      let lows = isCompact && level == Self.dullLevel ? dull : lowered(to: level)
      // The frame from which another part is equivalent.
      var last: Int?
      if level == 0 {
        last = rest.map { Int($0.start >> 32) } ?? .max
      } else {
        last = isCompact ? agreement(of: lows) : .max
      }
      let kept = last.map { min(length, $0, length - Self.beyond) + Self.beyond } ?? 0
      guard kept > 0 else {
        levels.append(SoundLevel(part: levels[0].part, end: .min))
        continue
      }
      let sides = lows.map { low in
        let half = low.halves(from: first, to: kept + Self.spare, workshop)
        let places = [low, half].map { Self.plane($0, to: kept, gain: gain, in: buffers) }
        bytes += 2 * Layout.bytes(kept, isCompact: isCompact)
        return SoundSide(samples: places[0], halves: places[1], isCompact: isCompact)
      }
      levels.append(
        SoundLevel(part: SoundPart(sides), end: last == Int.max ? .max : Int64(last ?? 0) << 32))
    }
    self.bytes = bytes
    sound = SamplerSound(
      limit: Int64(layout.limit) << 32, loopLength: Int64(loop?.count ?? 0) << 32,
      isStereo: sources.count == 2, gain: gain ?? 1, rest: rest, count: layout.levels,
      levels: buffers.copied(levels))
  }

  /// Returns the gain that restores 16-bit samples.
  ///
  /// It is the same for everything made of one recording, so a voice can switch between parts.
  private static func gain(_ channels: [[Float]]) -> Float {
    var peak: Float = 0
    for channel in channels.prefix(2) {
      channel.withUnsafeBufferPointer { samples in
        guard let start = samples.baseAddress else { return }
        let found = Float(bitPattern: Magnitude(start, frames: samples.count).bits)
        if found.isFinite { peak = max(peak, found) }
      }
    }
    return (peak > 0 ? peak : 1) * headroom / 32_767
  }

  /// Stores the samples of a plane, and returns the address of frame 0.
  private static func plane(
    _ plane: SampleRun, to length: Int, gain: Float?, in buffers: Buffers
  ) -> UnsafeRawPointer {
    let (start, count) = (plane.origin - margin, margin + length + spare)
    if let gain {
      return UnsafeRawPointer(narrowed(start, count: count, gain: gain, in: buffers) + margin)
    }
    let floats: UnsafeMutablePointer<Float> = buffers.room(for: count)
    rt_copy(floats, start, count)
    return UnsafeRawPointer(floats + margin)
  }

  /// Stores the even or odd frames of a range, and returns the address of frame 0, which may lie
  /// outside.
  private static func half(
    _ plane: SampleRun, _ frames: Range<Int>, _ odd: Int, gain: Float, in buffers: Buffers
  ) -> UnsafeRawPointer {
    let chosen = SampleRun(from: frames.lowerBound, to: frames.upperBound)
    for frame in frames { chosen.origin[frame] = plane.origin[2 * frame + odd] }
    let start = chosen.origin + frames.lowerBound
    let shorts = narrowed(start, count: frames.count, gain: gain, in: buffers)
    return UnsafeRawPointer(shorts - frames.lowerBound)
  }

  /// Stores the samples as 16-bit integers.
  private static func narrowed(
    _ numbers: UnsafePointer<Float>, count: Int, gain: Float, in buffers: Buffers
  ) -> UnsafeMutablePointer<Int16> {
    let shorts: UnsafeMutablePointer<Int16> = buffers.room(for: count)
    rt_narrow(numbers, shorts, 1 / gain, count)
    return shorts
  }
}
