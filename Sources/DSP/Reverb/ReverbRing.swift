internal import CRealtime

/// The clock of a reverb, which counts in chunks.
struct ReverbClock: BitwiseCopyable {
  /// The number of frames that every part of a reverb processes at once.
  static var chunk: Int { @_noLocks get { 32 } }

  /// The index of the first frame of the current chunk.
  var head = 0
  /// The number of frames since the lines were last emptied.
  var age = 0

  @_noLocks
  mutating func advance() {
    head &+= Self.chunk
    // Saturates after a day, longer than any line.
    if age < 1 << 34 { age &+= Self.chunk }
  }
}

/// The ring buffer of one delay line: written chunk by chunk, read at any delay.
///
/// It is emptied without clearing: samples from before the clock's age count as silence.
struct ReverbRing: BitwiseCopyable {
  // The first frames are mirrored after the last, and as many are cleared before a restart. So a
  // read of a chunk with its surrounding samples never checks for either border.
  private static var spare: Int { @_noLocks get { 64 } }

  private let samples: UnsafeMutablePointer<Float>
  private let mask: Int

  /// Returns the size in floats of a ring for delays up to `frames` frames.
  static func footprint(frames: Int) -> Int {
    capacity(frames: frames) + spare
  }

  private static func capacity(frames: Int) -> Int {
    .powerOfTwo(atLeast: max(frames, spare) + spare)
  }

  init(in memory: UnsafeMutablePointer<Float>, frames: Int) {
    samples = memory
    mask = Self.capacity(frames: frames) - 1
  }

  /// Returns the memory of the current chunk.
  @_noLocks
  func chunk(_ clock: ReverbClock) -> UnsafeMutablePointer<Float> {
    samples + (clock.head & mask)
  }

  @_noLocks @inline(__always)
  private init(_ samples: UnsafeMutablePointer<Float>, mask: Int) {
    self.samples = samples
    self.mask = mask
  }

  /// Returns a ring of the same size in other memory.
  @_noLocks @inline(__always)
  func advanced(by floats: Int) -> ReverbRing { ReverbRing(samples + floats, mask: mask) }

  /// Whether the current chunk is mirrored.
  @_noLocks
  func mirrors(_ clock: ReverbClock) -> Bool { clock.head & mask < Self.spare }

  /// Mirrors the current chunk if it is at the start of the ring.
  @_noLocks
  func close(_ clock: ReverbClock) {
    let place = clock.head & mask
    if place < Self.spare {
      rt_copy(samples + (mask &+ 1 &+ place), samples + place, ReverbClock.chunk)
    }
  }

  /// Returns the chunk that was written `delay` frames ago.
  ///
  /// Four frames before it and one after it are readable too. `silence` stands in for frames from
  /// before the clock's age.
  @_noLocks
  func read(
    delay: Int, _ clock: ReverbClock, silence: UnsafeMutablePointer<Float>
  ) -> UnsafePointer<Float> {
    if delay &+ 4 > clock.age &+ Self.spare { return UnsafePointer(silence + 4) }
    return UnsafePointer(samples + (((clock.head &- delay &- 4) & mask) &+ 4))
  }

  /// Restarts the ring at the clock's head.
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
