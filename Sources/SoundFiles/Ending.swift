package import DSP

/// The tail of a render: decides how much of the decaying sound is written after the input ends.
package struct Ending {
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
  private let quietFrames: Int
  // Silence that is written only if sound follows. Nil in the fixed-length mode.
  private var held: (left: [Float], right: [Float])?

  /// Creates a tail for a sample rate in Hz.
  package init(_ length: Length, rate: Int) {
    quietFrames = Int(Self.quietSeconds * Double(rate))
    switch length {
    case .seconds(let seconds): framesLeft = Int((seconds * Double(rate)).rounded())
    case .untilSilent:
      framesLeft = Int(Self.mostSeconds) * rate
      held = ([], [])
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
    guard held != nil else {
      try writer.write(sound, frames: frames)
      framesWritten += frames
      return
    }
    var loud = frames
    while loud > 0, abs(sound.left[loud - 1]) < Self.silence,
      abs(sound.right[loud - 1]) < Self.silence
    { loud -= 1 }
    if loud > 0 {
      try release(to: &writer)
      try writer.write(sound, frames: loud)
      framesWritten += loud
    }
    for frame in loud..<frames {
      held!.left.append(sound.left[frame])
      held!.right.append(sound.right[frame])
    }
    if held!.left.count >= quietFrames { isDone = true }
  }

  private mutating func release(to writer: inout SoundWriter) throws(SoundFileError) {
    var quiet = held!
    held = ([], [])
    let count = quiet.left.count
    var fault: SoundFileError?
    quiet.left.withUnsafeMutableBufferPointer { left in
      quiet.right.withUnsafeMutableBufferPointer { right in
        guard let left = left.baseAddress, let right = right.baseAddress else { return }
        do throws(SoundFileError) {
          try writer.write(Stereo(left, right), frames: count)
          framesWritten += count
        } catch {
          fault = error
        }
      }
    }
    if let fault { throw fault }
  }
}
