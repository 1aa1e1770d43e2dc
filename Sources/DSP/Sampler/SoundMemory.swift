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
  private let levels: UnsafeMutablePointer<SoundLevel>
  private let planes: [UnsafeMutableRawPointer]

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
    let plane = Self.plane(nil, to: layout.length, gain: nil)
    let side = SoundSide(samples: plane.origin, halves: plane.origin, isCompact: false)
    planes = [plane.memory]
    levels = .allocate(capacity: 1)
    levels.initialize(to: SoundLevel(part: SoundPart([side]), end: .max))
    sound = SamplerSound(
      limit: Int64(layout.limit) << 32, loopLength: 0, isStereo: false, gain: 1, count: 1,
      levels: levels)
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
    var (planes, bytes) = ([UnsafeMutableRawPointer](), 0)
    /// Returns the frame from which a level is equivalent to the original; nil if it is everywhere.
    func agreement(of lows: [SampleRun]) -> Int? {
      zip(sources, lows).compactMap {
        $0.lastDifference(from: $1, first: first, last: length, most: Self.leastDifference)
      }.max().map { $0 + SamplerSound.reach }
    }
    var rest: SoundRest?
    if let gain {
      let start = max(
        0, agreement(of: sources.map { $0.samples(level: Self.dullLevel, workshop) }) ?? 0)
      if length - start > Self.leastRest {
        let sides = sources.map { source in
          let places = [0, 1].map { Self.half(source, from: start, to: length, $0, gain: gain) }
          planes += places.map(\.memory)
          bytes += places.reduce(0) { $0 + $1.bytes }
          return SoundSide(
            samples: places[0].origin, halves: places[1].origin, isCompact: true)
        }
        rest = SoundRest(part: SoundPart(sides, halving: 1), start: Int64(start) << 32)
      }
    }
    levels = .allocate(capacity: layout.levels)
    for level in 0..<layout.levels {
      let lows = sources.map { $0.samples(level: level, workshop) }
      // The frame from which another part is equivalent.
      var last: Int?
      if level == 0 {
        last = rest.map { Int($0.start >> 32) } ?? .max
      } else {
        last = isCompact ? agreement(of: lows) : .max
      }
      let kept = last.map { min(length, $0, length - Self.beyond) + Self.beyond } ?? 0
      guard kept > 0 else {
        (levels + level).initialize(to: SoundLevel(part: levels[0].part, end: .min))
        continue
      }
      let sides = lows.map { low in
        let half = low.halves(from: first, to: kept + Self.spare, workshop)
        let places = [low, half].map { Self.plane($0, to: kept, gain: gain) }
        planes += places.map(\.memory)
        bytes += 2 * Layout.bytes(kept, isCompact: isCompact)
        return SoundSide(
          samples: places[0].origin, halves: places[1].origin, isCompact: isCompact)
      }
      (levels + level).initialize(
        to: SoundLevel(
          part: SoundPart(sides), end: last == Int.max ? .max : Int64(last ?? 0) << 32))
    }
    self.planes = planes
    self.bytes = bytes
    sound = SamplerSound(
      limit: Int64(layout.limit) << 32, loopLength: Int64(loop?.count ?? 0) << 32,
      isStereo: sources.count == 2, gain: gain ?? 1, rest: rest, count: layout.levels,
      levels: levels)
  }

  deinit {
    for plane in planes { plane.deallocate() }
    levels.deallocate()
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

  /// Allocates the samples of a plane, or silence.
  ///
  /// Returns the memory and the address of frame 0.
  private static func plane(
    _ plane: SampleRun?, to length: Int, gain: Float?
  ) -> (memory: UnsafeMutableRawPointer, origin: UnsafeRawPointer) {
    let count = margin + length + spare
    if let plane, let gain {
      let shorts = narrowed(plane.origin - margin, count: count, gain: gain)
      return (UnsafeMutableRawPointer(shorts), UnsafeRawPointer(shorts + margin))
    }
    let floats = UnsafeMutablePointer<Float>.allocate(capacity: count)
    if let plane {
      rt_copy(floats, plane.origin - margin, count)
    } else {
      rt_zero(floats, count)
    }
    return (UnsafeMutableRawPointer(floats), UnsafeRawPointer(floats + margin))
  }

  /// Allocates the even or odd frames of a range.
  ///
  /// Returns the memory and the address of frame 0, which may lie outside.
  private static func half(
    _ plane: SampleRun, from start: Int, to length: Int, _ odd: Int, gain: Float
  ) -> (memory: UnsafeMutableRawPointer, origin: UnsafeRawPointer, bytes: Int) {
    let (first, last) = (start / 2 - margin / 2, (length + spare) / 2)
    let chosen = SampleRun(from: first, to: last)
    for frame in first..<last { chosen.origin[frame] = plane.origin[2 * frame + odd] }
    let shorts = narrowed(chosen.origin + first, count: last - first, gain: gain)
    return (
      UnsafeMutableRawPointer(shorts), UnsafeRawPointer(shorts - first),
      (last - first) * MemoryLayout<Int16>.stride
    )
  }

  /// Allocates the samples as 16-bit integers.
  private static func narrowed(
    _ numbers: UnsafePointer<Float>, count: Int, gain: Float
  ) -> UnsafeMutablePointer<Int16> {
    let shorts = UnsafeMutablePointer<Int16>.allocate(capacity: count)
    rt_narrow(numbers, shorts, 1 / gain, count)
    return shorts
  }
}
