internal import CJack
internal import CRealtime
internal import DSP

/// A pair of JACK ports.
struct StereoPort: BitwiseCopyable {
  let left: OpaquePointer
  let right: OpaquePointer

  /// The buffers of a block.
  @_noLocks
  func buffers(_ frames: jack_nframes_t) -> Stereo {
    Stereo(samples(left, frames), samples(right, frames))
  }

  /// Silences a block.
  @_noLocks
  func silence(_ frames: jack_nframes_t) {
    rt_zero(samples(left, frames), Int(frames))
    rt_zero(samples(right, frames), Int(frames))
  }
}

/// The buffer of a port in a block.
@_noLocks
func samples(_ port: OpaquePointer, _ frames: jack_nframes_t) -> UnsafeMutablePointer<Float> {
  jack_port_get_buffer(port, frames).unsafelyUnwrapped.assumingMemoryBound(to: Float.self)
}
