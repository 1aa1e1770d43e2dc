/// Reads sound of another sample rate, piece by piece.
package struct ForeignRateReader: ~Copyable {
  /// The number of frames read per own frame.
  package let speed: Double
  /// The last piece.
  package let output: Stereo
  private let bank = SincBank()
  private let table: Int
  // The frames read on each side of a position.
  private let reach: Int
  private let window: Stereo
  private let buffers = Buffers()

  /// Creates a reader for pieces of at most so many frames.
  package init(speed: Double, frames: Int) {
    self.speed = speed
    table = bank.table(forSpeed: Float(speed))
    reach = bank.reach(ofTable: table) + 1
    output = buffers.stereo(frames)
    window = buffers.stereo(Int(Double(frames) * speed) + 2 * reach + 2)
  }

  /// The first own frame that depends on a frame, when own frame 0 is at frame 0.
  func first(reading frame: Int) -> Int {
    max(0, Int((Double(frame - reach) / speed).rounded(.down)))
  }

  /// The first own frame that depends on no frame before this one, when own frame 0 is at frame 0.
  func last(reading frame: Int) -> Int {
    Int((Double(frame + reach) / speed).rounded(.up))
  }

  /// Converts frames from a position on, given in frames of the sound, which is silent outside `range`.
  ///
  /// `read` writes frames of the sound from a position on.
  package func read(
    from position: Double, frames: Int, in range: Range<Int>,
    _ read: (_ start: Int, _ out: Stereo, _ frames: Int) -> Void
  ) {
    let first = Int(position.rounded(.down)) - reach
    let count = Int(Double(frames) * speed) + 2 * reach + 2
    window.clear(frames: count)
    let (from, to) = (max(range.lowerBound, first), min(first + count, range.upperBound))
    if from < to { read(from, window.advanced(by: from - first), to - from) }
    bank.read(
      table: table, left: window.left, right: window.right,
      from: Int64((position - Double(first)) * 4_294_967_296), step: Int64(speed * 4_294_967_296),
      to: output, frames: frames)
  }
}
