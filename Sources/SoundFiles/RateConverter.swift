internal import CSoxr
package import DSP

/// A stereo sample rate converter: soxr at very high quality, with linear-phase filters.
///
/// The filter delay is compensated, and the output is as long as the input, to the nearest frame.
/// The result does not depend on the block size.
package struct RateConverter: ~Copyable {
  private let handle: OpaquePointer
  private let from: Int
  private let to: Int
  private var taken = 0
  private var made = 0

  /// Creates a converter between two sample rates in Hz.
  package init(from: Int, to: Int) {
    var fault: soxr_error_t?
    var form = soxr_io_spec(SOXR_FLOAT32_S, SOXR_FLOAT32_S)
    var quality = soxr_quality_spec(UInt(SOXR_VHQ), 0)
    // One thread, so that the result is deterministic.
    var runtime = soxr_runtime_spec(1)
    guard
      let handle = soxr_create(
        Double(from), Double(to), 2, &fault, &form, &quality, &runtime)
    else { fatalError("soxr: \(fault.map { String(cString: $0) } ?? "no converter")") }
    self.handle = handle
    self.from = from
    self.to = to
  }

  deinit { soxr_delete(handle) }

  /// Returns the number of frames after a sample rate conversion.
  package static func frames(_ frames: Int, from: Int, to: Int) -> Int {
    // Whole seconds are converted separately, to avoid an overflow of the product.
    frames / from * to + (2 * (frames % from) * to + from) / (2 * from)
  }

  /// Consumes input as far as possible, and writes output as far as there is room.
  ///
  /// Returns the number of frames consumed and produced.
  package mutating func convert(
    _ input: Stereo, frames: Int, into output: Stereo, room: Int
  ) -> (taken: Int, made: Int) {
    let done = process(input, frames, output, room)
    taken += done.taken
    made += done.made
    return done
  }

  /// Flushes the remaining output after the last block, as far as there is room.
  ///
  /// Returns 0 when done.
  package mutating func finish(into output: Stereo, room: Int) -> Int {
    let wanted = min(Self.frames(taken, from: from, to: to) - made, room)
    guard wanted > 0 else { return 0 }
    var count = process(nil, 0, output, wanted).made
    // soxr's rounding can yield one frame less than ours.
    while count < wanted {
      output.left[count] = 0
      output.right[count] = 0
      count += 1
    }
    made += count
    return count
  }

  private func process(
    _ input: Stereo?, _ frames: Int, _ output: Stereo, _ room: Int
  ) -> (taken: Int, made: Int) {
    var (taken, made) = (0, 0)
    var places = (output.left, output.right)
    let fault = withUnsafeMutablePointer(to: &places) { places in
      guard let input else { return soxr_process(handle, nil, 0, nil, places, room, &made) }
      var sides = (input.left, input.right)
      return withUnsafePointer(to: &sides) {
        soxr_process(handle, $0, frames, &taken, places, room, &made)
      }
    }
    // After creation, soxr fails only when it is out of memory.
    if let fault { fatalError("soxr: \(String(cString: fault))") }
    return (taken, made)
  }
}
