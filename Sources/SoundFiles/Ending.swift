package import DSP

/// The tail of a render: decides how much of the decaying sound is written after the input ends.
package struct Ending: ~Copyable {
  /// The length of the tail.
  package enum Length: Equatable, Sendable {
    /// A fixed number of seconds.
    case seconds(Double)
    /// Until silence, at most one minute. Trailing silence is dropped.
    case untilSilent
  }

  // Below 16-bit resolution.
  private static let silence: Float = 1e-5
  // Longer than the longest echo interval.
  private static let quietSeconds = 11.0
  private static let mostSeconds = 60.0

  package private(set) var framesWritten = 0
  /// Whether the tail is complete.
  package private(set) var isDone = false
  private var framesLeft: Int
  // Silence that is written only if sound follows. Empty in fixed-length mode.
  private let held: StereoBuffer
  private var framesHeld = 0

  /// Creates a tail for a sample rate in Hz.
  package init(_ length: Length, rate: Int) {
    switch length {
    case .seconds(let seconds):
      framesLeft = Int((seconds * Double(rate)).rounded())
      held = StereoBuffer(frames: 0)
    case .untilSilent:
      framesLeft = Int(Self.mostSeconds) * rate
      held = StereoBuffer(frames: Int(Self.quietSeconds * Double(rate)))
    }
    isDone = framesLeft == 0
  }

  /// Writes the required part of a block.
  package mutating func write(
    _ sound: Stereo, frames: Int, to writer: inout SoundWriter
  ) throws(SoundFileError) {
    let frames = min(frames, framesLeft)
    framesLeft -= frames
    isDone = framesLeft == 0
    guard held.frames > 0 else {
      try writer.write(sound, frames: frames)
      framesWritten += frames
      return
    }
    var loud = frames
    while loud > 0, abs(sound.left[loud - 1]) < Self.silence,
      abs(sound.right[loud - 1]) < Self.silence
    { loud -= 1 }
    if loud > 0 {
      try writer.write(held.stereo, frames: framesHeld)
      try writer.write(sound, frames: loud)
      framesWritten += framesHeld + loud
      framesHeld = 0
    }
    for frame in loud..<frames where framesHeld < held.frames {
      held.stereo.left[framesHeld] = sound.left[frame]
      held.stereo.right[framesHeld] = sound.right[frame]
      framesHeld += 1
    }
    if framesHeld == held.frames { isDone = true }
  }
}
