internal import CRealtime

/// One side of a sound: its samples, and those half-way between each and the next.
struct SoundSide: BitwiseCopyable {
  let samples: UnsafePointer<Float>
  let halves: UnsafePointer<Float>
}

/// A sound as the audio thread reads it: silence before it, and behind it silence or its loop.
struct SamplerSound: BitwiseCopyable {
  /// How far a reader sees to either side, in samples.
  static var reach: Int { @_noLocks get { SincBank.mostTaps / 2 } }
  /// How far beyond the limit a piece may go, in samples.
  static var span: Int { @_noLocks get { 64 } }
  /// The most samples that are read a frame.
  static var fastest: Int { @_noLocks get { 16 } }

  let left: SoundSide
  let right: SoundSide
  let isStereo: Bool
  /// Where it is over, or where it goes back by a loop's length; with 32 binary places.
  let limit: Int64
  /// The length of the loop, with 32 binary places; 0 where there is none.
  let loopLength: Int64
}

/// The memory of a sound, for as long as an instrument has it.
///
/// A loop is written out behind its end, as far as a reader sees from there: a reader goes on
/// past the end until it sees nothing from before it, and then back by a loop's length, to where
/// it sees the same.
final class SoundMemory: @unchecked Sendable {
  // A reader rounds up to fours of frames.
  private static var margin: Int {
    SamplerSound.reach + SamplerSound.span + 4 * SamplerSound.fastest
  }
  // How many samples to each side make a half-way sample: they leave all up to 0.46 of the rate.
  private static var halfTaps: Int { 48 }
  private static let halfBeta = 10.0

  let sound: SamplerSound
  /// How many bytes it needs.
  let bytes: Int
  private let memory: UnsafeMutablePointer<Float>

  /// The sound of one or two channels up to `end`, or up to its loop's end and round and round.
  init(_ channels: [[Float]], end: Int, loop: Range<Int>?) {
    let count = min(2, channels.count)
    let last = loop?.upperBound ?? end
    let limit = last + SamplerSound.reach
    let length = limit + 2 * Self.margin
    let planes = Self.margin + length + 16
    let size = max(1, 2 * count) * planes
    bytes = size * MemoryLayout<Float>.stride
    memory = .allocate(capacity: size)
    memory.initialize(repeating: 0, count: size)
    var sides: [SoundSide] = []
    for channel in 0..<count {
      let samples = memory + 2 * channel * planes + Self.margin
      let halves = samples + planes
      Self.fill(samples, halves, channels[channel], end: end, loop: loop, length: length)
      sides.append(SoundSide(samples: samples, halves: halves))
    }
    let silence = SoundSide(samples: memory + Self.margin, halves: memory + Self.margin)
    let left = sides.first ?? silence
    sound = SamplerSound(
      left: left, right: sides.last ?? silence, isStereo: count == 2,
      limit: Int64(limit) << 32, loopLength: Int64(loop?.count ?? 0) << 32)
  }

  deinit { memory.deallocate() }

  private static func fill(
    _ samples: UnsafeMutablePointer<Float>, _ halves: UnsafeMutablePointer<Float>,
    _ channel: [Float], end: Int, loop: Range<Int>?, length: Int
  ) {
    // With what the last half-way samples still look at.
    let beyond = halfTaps + 16
    let whole = UnsafeMutablePointer<Float>.allocate(capacity: 2 * (margin + beyond) + length)
    whole.initialize(repeating: 0, count: 2 * (margin + beyond) + length)
    defer { whole.deallocate() }
    let source = whole + margin + beyond
    for frame in 0..<min(loop?.upperBound ?? end, channel.count) {
      let sample = channel[frame]
      source[frame] = sample.isFinite ? sample : 0
    }
    if let loop {
      for frame in loop.upperBound..<(length + margin) {
        source[frame] = source[frame - loop.count]
      }
    }
    for frame in -margin..<length { samples[frame] = source[frame] }
    let weights = halfWeights()
    weights.withUnsafeBufferPointer { weights in
      var frame = -margin
      while frame < length {
        var sum = SIMD16<Float>(repeating: 0)
        for tap in 0..<halfTaps {
          let before = UnsafeRawPointer(source + (frame - tap))
          let after = UnsafeRawPointer(source + (frame + 1 + tap))
          sum +=
            (before.loadUnaligned(as: SIMD16<Float>.self)
              + after.loadUnaligned(as: SIMD16<Float>.self)) * weights[tap]
        }
        UnsafeMutableRawPointer(halves + frame).storeBytes(of: sum, as: SIMD16<Float>.self)
        frame += 16
      }
    }
  }

  private static func halfWeights() -> [Float] {
    let window = KaiserWindow(beta: halfBeta)
    let raw = (0..<halfTaps).map { tap in
      let distance = Double(tap) + 0.5
      return rt_sin(.pi * distance) / (.pi * distance)
        * window.value(at: distance / Double(halfTaps))
    }
    let sum = 2 * raw.reduce(0, +)
    return raw.map { Float($0 / sum) }
  }
}
