internal import CSoxr
package import DSP

/// Changes the rate of a stereo sound, by soxr's linear-phase filters of its very high quality.
///
/// The sound stays in its place: what the filters delay is taken off, and what comes out is as
/// long as what went in, to the nearest frame. It does not depend on how the sound is cut into
/// blocks.
package struct RateConverter: ~Copyable {
  private let handle: OpaquePointer
  private let from: Int
  private let to: Int
  private var taken = 0
  private var made = 0

  /// A converter between two rates, in Hz.
  package init(from: Int, to: Int) {
    var fault: soxr_error_t?
    var form = soxr_io_spec(SOXR_FLOAT32_S, SOXR_FLOAT32_S)
    var quality = soxr_quality_spec(UInt(SOXR_VHQ), 0)
    // One thread: which of many is done first must not matter.
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

  /// Counts the frames that a sound has after its sample rate was changed.
  package static func frames(_ frames: Int, from: Int, to: Int) -> Int {
    // Whole seconds apart, lest the product be too large.
    frames / from * to + (2 * (frames % from) * to + from) / (2 * from)
  }

  /// Takes in what it can of a block, and writes what comes of it, as far as there is room.
  ///
  /// Returns how many frames it took, and how many it made.
  package mutating func convert(
    _ input: Stereo, frames: Int, into output: Stereo, room: Int
  ) -> (taken: Int, made: Int) {
    let done = process(input, frames, output, room)
    taken += done.taken
    made += done.made
    return done
  }

  /// Writes what is still to come after the last block, as far as there is room; 0 when all is
  /// done.
  package mutating func finish(into output: Stereo, room: Int) -> Int {
    let wanted = min(Self.frames(taken, from: from, to: to) - made, room)
    guard wanted > 0 else { return 0 }
    var count = process(nil, 0, output, wanted).made
    // The filters' own rounding can be a frame short of ours.
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
    // It has none but want of memory, once it is made.
    if let fault { fatalError("soxr: \(String(cString: fault))") }
    return (taken, made)
  }
}
