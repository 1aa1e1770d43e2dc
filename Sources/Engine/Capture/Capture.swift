internal import DSP
internal import Synchronization

/// Copies the input or the output into a ring, and never waits.
struct Capture: BitwiseCopyable {
  // The crossfade between the sources.
  private static var crossfadeSeconds: Double { @_noLocks get { 0.005 } }

  private var pointer: CapturePointer?
  private var written = 0
  private var sampleRate: Int
  private var isFine = false
  // The requested source, and the present one, with the rest of the crossfade to it.
  private var wanted = CaptureSource.input
  private var source = CaptureSource.input
  private var framesToFade = 0
  private let fadeFrames: Int

  @_noLocks
  init(sampleRate: Double) {
    self.sampleRate = Int(sampleRate)
    fadeFrames = max(1, Int(Self.crossfadeSeconds * sampleRate))
  }

  /// Whether a capture is on.
  var isOn: Bool {
    @_noLocks get { pointer != nil }
  }

  /// Whether the capture needs the input.
  var needsInput: Bool {
    @_noLocks get {
      guard isOn else { return false }
      if case (.output, .output) = (wanted, source) { return framesToFade > 0 }
      return true
    }
  }

  /// Continues at another rate or the same.
  ///
  /// A capture that is on skips everything while the rate is not its own.
  mutating func setSampleRate(_ rate: Double) {
    var next = Capture(sampleRate: rate)
    next.pointer = pointer
    next.written = written
    (next.wanted, next.source) = (wanted, wanted)
    next.isFine = isFine
    self = next
  }

  /// Sets the source from this frame on, or the format of the next capture.
  @_noLocks
  mutating func set(_ parameter: Parameter.Capture, _ value: Float) {
    switch parameter {
    case .source: wanted = value == 0 ? .input : .output
    case .format: isFine = value != 0
    }
  }

  /// Begins a capture, unless one is on, or ends the one that is on if there is no pointer.
  @_noLocks
  mutating func follow(_ pointer: CapturePointer?) {
    guard let pointer else { return end(.ended) }
    if isOn { return }
    self.pointer = pointer
    written = 0
    source = wanted
    framesToFade = 0
    pointer.progress.pointee.source = source
    pointer.progress.pointee.isFine = isFine
    publish(.running, to: pointer)
  }

  @_noLocks
  private mutating func end(_ state: CaptureRing.State) {
    guard let pointer else { return }
    self.pointer = nil
    publish(state, to: pointer)
  }

  /// Publishes the state, and everything that was written before.
  @_noLocks
  private func publish(_ state: CaptureRing.State, to pointer: CapturePointer) {
    // The real-time check rejects the getter of a raw value. The byte has the same value.
    pointer.progress.pointee.state.store(
      unsafeBitCast(state, to: UInt8.self), ordering: .releasing)
  }

  /// Captures the next frames.
  ///
  /// If there is no room for all of them, the capture ends with the last that fit.
  @_noLocks
  mutating func write(input: Stereo, output: Stereo, frames: Int) {
    guard let pointer, pointer.rate == sampleRate else { return }
    let count = room(pointer, frames)
    var done = 0
    while done < count {
      let place = (written &+ done) & (pointer.capacity &- 1)
      let part = min(count &- done, pointer.capacity &- place)
      put(
        input.advanced(by: done), output.advanced(by: done), to: pointer.sound.advanced(by: place),
        frames: part)
      done &+= part
    }
    publish(pointer, count, of: frames)
  }

  /// Captures silence.
  @_noLocks
  mutating func rest(frames: Int) {
    guard let pointer, pointer.rate == sampleRate else { return }
    var left = frames
    while left > 0 && isFading() {
      let fading = min(left, framesToFade)
      framesToFade &-= fading
      left &-= fading
    }
    let count = room(pointer, frames)
    let place = written & (pointer.capacity &- 1)
    let part = min(count, pointer.capacity &- place)
    pointer.sound.advanced(by: place).clear(frames: part)
    pointer.sound.clear(frames: count &- part)
    publish(pointer, count, of: frames)
  }

  @_noLocks
  private func room(_ pointer: CapturePointer, _ frames: Int) -> Int {
    // Acquiring: the reader has released the position.
    let read = pointer.progress.pointee.read.load(ordering: .acquiring)
    return min(frames, pointer.capacity &- (written &- read))
  }

  @_noLocks
  private mutating func publish(_ pointer: CapturePointer, _ count: Int, of frames: Int) {
    written &+= count
    // Releasing: publishes the frames.
    pointer.progress.pointee.written.store(written, ordering: .releasing)
    if count < frames { end(.overrun) }
  }

  /// Whether the next frame belongs to a crossfade; starts one if the source changed.
  ///
  /// A crossfade is never reversed halfway, which would be audible.
  @_noLocks
  private mutating func isFading() -> Bool {
    if framesToFade > 0 { return true }
    switch (source, wanted) {
    case (.input, .input), (.output, .output): return false
    default: break
    }
    source = wanted
    framesToFade = fadeFrames
    return true
  }

  @_noLocks
  private mutating func put(_ input: Stereo, _ output: Stereo, to ring: Stereo, frames: Int) {
    var done = 0
    while done < frames && isFading() {
      let (place, fading) = (ring.advanced(by: done), min(frames &- done, framesToFade))
      var (former, present) = (input.advanced(by: done), output.advanced(by: done))
      if case .input = source { (former, present) = (present, former) }
      former.copy(to: place, frames: fading)
      Crossfade.mix(
        left: present.left, right: present.right, into: place, done: fadeFrames &- framesToFade,
        length: fadeFrames, frames: fading)
      framesToFade &-= fading
      done &+= fading
    }
    var present = output
    if case .input = source { present = input }
    present.advanced(by: done).copy(to: ring.advanced(by: done), frames: frames &- done)
  }
}
