internal import DSP

/// The captures of the node: to disk, and of the input for the tuner.
struct Taps: BitwiseCopyable {
  var capture: Capture
  var tuner: Capture

  @_noLocks
  init(sampleRate: Double) {
    capture = Capture(sampleRate: sampleRate)
    tuner = Capture(sampleRate: sampleRate)
  }

  mutating func setSampleRate(_ rate: Double) {
    capture.setSampleRate(rate)
    tuner.setSampleRate(rate)
  }

  /// Whether any tap needs the input.
  var needsInput: Bool { @_noLocks get { capture.needsInput || tuner.needsInput } }

  /// Captures a block.
  @_noLocks
  mutating func write(input: Stereo, output: Stereo, frames: Int) {
    if capture.isOn { capture.write(input: input, output: output, frames: frames) }
    if tuner.isOn { tuner.write(input: input, output: output, frames: frames) }
  }

  /// Captures silence.
  @_noLocks
  mutating func rest(frames: Int) {
    capture.rest(frames: frames)
    tuner.rest(frames: frames)
  }
}
