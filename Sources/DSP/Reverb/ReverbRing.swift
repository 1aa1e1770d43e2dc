internal import CRealtime

/// The clock of a reverb, which goes in chunks of frames.
struct ReverbClock: BitwiseCopyable {
  /// The frames of a chunk: every part of a reverb works on so many at once.
  static var chunk: Int { @_noLocks get { 32 } }

  /// The number of the first frame of the chunk at hand.
  var head = 0
  /// How many frames were made since all was empty.
  var age = 0

  @_noLocks
  init() {}

  @_noLocks
  mutating func advance() {
    head &+= Self.chunk
    // A day is more than any line is long.
    if age < 1 << 34 { age &+= Self.chunk }
  }
}

/// The memory of one delay line, which is written a chunk at a time and read anywhere.
///
/// It is emptied without being cleared: what was written before the clock's age counts as
/// silence.
struct ReverbRing: BitwiseCopyable {
  // So many first frames are once more behind the last ones, and so many before a beginning are
  // cleared: no reading of a chunk with the samples around it has to look at either border.
  private static var spare: Int { @_noLocks get { 64 } }

  private let samples: UnsafeMutablePointer<Float>
  private let mask: Int

  /// Counts the floats of a ring that is read at delays of up to `frames` frames.
  static func footprint(frames: Int) -> Int {
    capacity(frames: frames) + spare
  }

  private static func capacity(frames: Int) -> Int {
    var capacity = 2 * spare
    while capacity < frames + spare { capacity *= 2 }
    return capacity
  }

  init(in memory: UnsafeMutablePointer<Float>, frames: Int) {
    samples = memory
    mask = Self.capacity(frames: frames) - 1
  }

  /// Finds the memory of the chunk at hand.
  @_noLocks
  func chunk(_ clock: ReverbClock) -> UnsafeMutablePointer<Float> {
    samples + (clock.head & mask)
  }

  /// Makes the chunk just written readable across the border.
  @_noLocks
  func close(_ clock: ReverbClock) {
    let place = clock.head & mask
    if place < Self.spare {
      rt_copy(samples + (mask &+ 1 &+ place), samples + place, ReverbClock.chunk)
    }
  }

  /// The chunk at hand as it was `delay` frames ago; four frames before it and one after can
  /// be read, too, and `silence` stands for what is from before the clock's age.
  @_noLocks
  func read(
    delay: Int, _ clock: ReverbClock, silence: UnsafeMutablePointer<Float>
  ) -> UnsafeRawPointer {
    if delay &+ 4 > clock.age &+ Self.spare { return UnsafeRawPointer(silence + 4) }
    return UnsafeRawPointer(samples + (((clock.head &- delay &- 4) & mask) &+ 4))
  }

  /// Lets the ring begin at the clock's head.
  @_noLocks
  func begin(_ clock: ReverbClock) {
    var before = clock
    for _ in 0..<(Self.spare / ReverbClock.chunk) {
      before.head &-= ReverbClock.chunk
      rt_zero(chunk(before), ReverbClock.chunk)
      close(before)
    }
  }
}
