internal import CRealtime

/// One side of a sound: its samples, and those half-way between each and the next.
struct SoundSide: BitwiseCopyable {
  let samples: UnsafePointer<Float>
  let halves: UnsafePointer<Float>

  @_noLocks
  init(samples: UnsafePointer<Float>, halves: UnsafePointer<Float>) {
    self.samples = samples
    self.halves = halves
  }
}

/// A sound as the audio thread reads it: silence before it, and behind it silence or its loop.
///
/// There are as many levels of it as it is ever read fast: what is read faster than it was
/// recorded has lost what would fold back.
struct SamplerSound: BitwiseCopyable {
  /// How far a reader sees to either side, in samples, with what half-way samples and levels saw
  /// when they were made.
  static var reach: Int { @_noLocks get { 8 + 48 + 80 + 8 } }
  /// The most samples that are read a frame.
  static var fastest: Int { @_noLocks get { 16 } }
  /// How far beyond the limit a step may go, in samples; a reader rounds up to fours of frames.
  static var span: Int { @_noLocks get { (VoiceEnvelope.usualStep + 4) * fastest } }
  // At the first level only that folds back which lands above 21 kHz at 48 kHz.
  private static var speedOfFirst: Float { @_noLocks get { 1.125 } }
  // Each next one is for speeds a third higher: at its slowest it leaves all up to 18 kHz.
  private static var ratioOfLevels: Float { @_noLocks get { 1.3 } }

  /// The place where it is over, or goes back by a loop's length; with 32 binary places.
  let limit: Int64
  /// The length of the loop, with 32 binary places; 0 where there is none.
  let loopLength: Int64
  let isStereo: Bool
  fileprivate let levels: Int
  private let left: SoundSide
  private let right: SoundSide
  private let apart: Int

  fileprivate init(
    left: SoundSide, right: SoundSide, isStereo: Bool, levels: Int, apart: Int, limit: Int64,
    loopLength: Int64
  ) {
    self.left = left
    self.right = right
    self.isStereo = isStereo
    self.levels = levels
    self.apart = apart
    self.limit = limit
    self.loopLength = loopLength
  }

  /// The level for a speed, in samples a frame.
  @_noLocks
  func level(forSpeed speed: Float) -> Int { min(Self.level(forSpeed: speed), levels &- 1) }

  /// The level for a speed of a sound that has them all.
  @_noLocks
  static func level(forSpeed speed: Float) -> Int {
    var (level, top) = (0, speedOfFirst)
    while speed > top && top < Float(fastest) {
      level &+= 1
      top *= ratioOfLevels
    }
    return level
  }

  /// The part of the sample rate above which a level has nothing; `level` is 1 at least.
  fileprivate static func edge(ofLevel level: Int) -> Double {
    var top = Double(speedOfFirst)
    for _ in 0..<level { top *= Double(ratioOfLevels) }
    return Double(speedOfFirst) / 2 / top
  }

  /// The left side of a level.
  @_noLocks
  func left(level: Int) -> SoundSide { side(left, level) }

  /// The right side of a level; the left one where there is one alone.
  @_noLocks
  func right(level: Int) -> SoundSide { side(right, level) }

  @_noLocks
  private func side(_ side: SoundSide, _ level: Int) -> SoundSide {
    SoundSide(samples: side.samples + level &* apart, halves: side.halves + level &* apart)
  }
}

/// The memory of a sound, for as long as an instrument has it.
///
/// A loop is written out behind its end, as far as a reader sees from there: a reader goes on
/// past the end until it sees nothing from before it, and then back by a loop's length, to where
/// it sees the same.
final class SoundMemory: @unchecked Sendable {
  // How much lies before the first sample, and behind the last that is read at.
  private static var margin: Int { 32 }

  let sound: SamplerSound
  /// The memory that it needs, in bytes.
  let bytes: Int
  private let memory: UnsafeMutablePointer<Float>

  /// How the samples of a sound lie in its memory.
  private struct Layout {
    /// Where it is over, in frames.
    let limit: Int
    /// The frames behind the first one.
    let length: Int
    let levels: Int
    /// The samples of one side of one level.
    let plane: Int
    /// The samples between two levels.
    let apart: Int

    var samples: Int { levels * apart }

    init(channels: Int, end: Int, loop: Range<Int>?, fastest: Float) {
      limit = (loop?.upperBound ?? end) + SamplerSound.reach
      length = limit + SamplerSound.span + margin
      // Whole sixteens are written.
      plane = margin + length + 16
      levels = SamplerSound.level(forSpeed: fastest) + 1
      apart = 2 * max(1, channels) * plane
    }
  }

  /// The memory that a sound of one or two channels would need, in bytes.
  static func bytes(channels: Int, end: Int, loop: Range<Int>?, fastest: Float) -> Int {
    Layout(channels: min(2, channels), end: end, loop: loop, fastest: fastest).samples
      * MemoryLayout<Float>.stride
  }

  /// The sound of one or two channels up to `end`, or up to its loop's end and round and round.
  init(_ channels: [[Float]], end: Int, loop: Range<Int>?, fastest: Float) {
    let count = min(2, channels.count)
    let layout = Layout(channels: count, end: end, loop: loop, fastest: fastest)
    let (length, plane, apart) = (layout.length, layout.plane, layout.apart)
    let (limit, levels) = (layout.limit, layout.levels)
    bytes = layout.samples * MemoryLayout<Float>.stride
    memory = .allocate(capacity: layout.samples)
    memory.initialize(repeating: 0, count: layout.samples)
    let origin = memory + Self.margin
    for (index, channel) in channels.prefix(count).enumerated() {
      let source = SoundSource(
        channel, end: end, loop: loop, from: -Self.margin, to: length)
      for level in 0..<levels {
        let samples = origin + level * apart + 2 * index * plane
        source.write(
          level: level == 0 ? nil : SamplerSound.edge(ofLevel: level), samples: samples,
          halves: samples + plane)
      }
    }
    let left = SoundSide(samples: origin, halves: origin + plane)
    let isStereo = count == 2
    sound = SamplerSound(
      left: left,
      right: isStereo
        ? SoundSide(samples: origin + 2 * plane, halves: origin + 3 * plane) : left,
      isStereo: isStereo, levels: levels, apart: apart, limit: Int64(limit) << 32,
      loopLength: Int64(loop?.count ?? 0) << 32)
  }

  deinit { memory.deallocate() }
}

/// One channel with silence before it and silence or its loop behind it, as far as the filters
/// look that are made of it.
private struct SoundSource: ~Copyable {
  // They leave all up to 0.46 of the rate.
  private static let halfTaps = 48
  private static let halfBeta = 10.0
  // A slope of 0.04 of the rate down to -95 dB.
  private static let lowTaps = 80
  private static let lowBeta = 9.5
  private static var beyond: Int { halfTaps + lowTaps + 32 }

  private let memory: UnsafeMutablePointer<Float>
  private let origin: UnsafeMutablePointer<Float>
  private let first: Int
  private let last: Int

  init(_ channel: [Float], end: Int, loop: Range<Int>?, from first: Int, to last: Int) {
    self.first = first
    self.last = last
    let size = last - first + 2 * Self.beyond
    memory = .allocate(capacity: size)
    memory.initialize(repeating: 0, count: size)
    origin = memory + (Self.beyond - first)
    for frame in 0..<min(loop?.upperBound ?? end, channel.count) {
      let sample = channel[frame]
      origin[frame] = sample.isFinite ? sample : 0
    }
    if let loop {
      for frame in loop.upperBound..<(last + Self.beyond) {
        origin[frame] = origin[frame - loop.count]
      }
    }
  }

  deinit { memory.deallocate() }

  /// Writes the samples and those half-way; without what is above an edge, in parts of the rate.
  func write(
    level edge: Double?, samples: UnsafeMutablePointer<Float>, halves: UnsafeMutablePointer<Float>
  ) {
    guard let edge else {
      for frame in first..<last { samples[frame] = origin[frame] }
      write(Self.halfWeights(), from: origin, apart: 1, to: halves, first..<last)
      return
    }
    let room = Self.halfTaps + 16
    let size = last - first + 2 * room + 16
    let low = UnsafeMutablePointer<Float>.allocate(capacity: size)
    low.initialize(repeating: 0, count: size)
    defer { low.deallocate() }
    let start = low + (room - first)
    write(
      Self.lowWeights(edge: edge), from: origin, apart: 0, to: start, (first - room)..<(last + room)
    )
    for frame in first..<last { samples[frame] = start[frame] }
    write(Self.halfWeights(), from: start, apart: 1, to: halves, first..<last)
  }

  /// Weighs samples to both sides of each frame, which lie so much further apart on the right.
  private func write(
    _ weights: [Float], from source: UnsafePointer<Float>, apart: Int,
    to output: UnsafeMutablePointer<Float>, _ frames: Range<Int>
  ) {
    weights.withUnsafeBufferPointer { weights in
      var frame = frames.lowerBound
      while frame < frames.upperBound {
        var sum = SIMD16<Float>(repeating: 0)
        for tap in 0..<weights.count {
          let before = UnsafeRawPointer(source + (frame - tap))
          let after = UnsafeRawPointer(source + (frame + apart + tap))
          sum +=
            (before.loadUnaligned(as: SIMD16<Float>.self)
              + after.loadUnaligned(as: SIMD16<Float>.self)) * weights[tap]
        }
        UnsafeMutableRawPointer(output + frame).storeBytes(of: sum, as: SIMD16<Float>.self)
        frame += 16
      }
    }
  }

  private static func halfWeights() -> [Float] {
    let window = KaiserWindow(beta: halfBeta)
    return normal(
      (0..<halfTaps).map { tap in
        let distance = Double(tap) + 0.5
        return rt_sin(.pi * distance) / (.pi * distance)
          * window.value(at: distance / Double(halfTaps))
      })
  }

  private static func lowWeights(edge: Double) -> [Float] {
    let window = KaiserWindow(beta: lowBeta)
    // The middle of the slope.
    let cutoff = 2 * (edge - 0.0195)
    return normal(
      (0..<lowTaps).map { tap in
        // Both sides have the one in the middle.
        if tap == 0 { return cutoff / 2 }
        return rt_sin(.pi * cutoff * Double(tap)) / (.pi * Double(tap))
          * window.value(at: Double(tap) / Double(lowTaps))
      })
  }

  /// Scales weights so that a constant passes as it is.
  private static func normal(_ weights: [Double]) -> [Float] {
    let sum = 2 * weights.reduce(0, +)
    return weights.map { Float($0 / sum) }
  }
}
