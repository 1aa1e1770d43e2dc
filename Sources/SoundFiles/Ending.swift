package import DSP

/// The end of a render: how much is written of what still sounds when the input is over.
package struct Ending {
  /// The length of the end.
  package enum Length: Equatable, Sendable {
    /// For so many seconds.
    case seconds(Double)
    /// Until nothing is heard any more, a minute at most; the silence is left out.
    case untilSilent
  }

  // Quieter than 16 bits tell.
  private static let silence: Float = 1e-5
  // More than lies between two echoes.
  private static let quietSeconds = 11.0
  private static let mostSeconds = 60.0

  /// The number of frames that were written.
  package private(set) var framesWritten = 0
  /// Whether nothing more is wanted.
  package private(set) var isDone = false
  private var framesLeft: Int
  private let quietFrames: Int
  // Silence that is written only if sound comes after it; nil where all is written.
  private var held: (left: [Float], right: [Float])?

  /// An ending of a length, for sound of a rate in Hz.
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

  /// Writes what is wanted of a part.
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
