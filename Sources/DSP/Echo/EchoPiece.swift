/// Scratch buffers for one piece of sound: rows of equal length, padded for whole-vector access.
struct EchoPiece: BitwiseCopyable {
  /// The longest piece, in frames.
  static var longest: Int { @_noLocks get { 128 } }
  // The widest loops write 16 frames at a time.
  private static var stride: Int { @_noLocks get { longest &+ 16 } }

  /// The use of a row.
  ///
  /// A stereo pair occupies two rows, of which this is the left.
  enum Row: Int {
    case tap = 0
    case nextTap = 2
    case held = 4
    case repeats = 6
    case written = 8
    case input = 10
    case feedback = 12
    case spread, dry, wet, entry, tail, hold, fade, lowCut, highCut, opening, count
  }

  private let samples: UnsafeMutablePointer<Float>

  /// Takes the buffers from their owner's memory.
  init(in buffers: Buffers) {
    samples = buffers.floats(Row.count.rawValue * Self.stride)
  }

  /// Returns a row.
  @_noLocks
  func row(_ row: Row) -> UnsafeMutablePointer<Float> { samples + row.rawValue &* Self.stride }

  /// Returns a row and the next one as a stereo pair.
  @_noLocks
  func stereo(_ left: Row) -> Stereo { Stereo(row(left), row(left) + Self.stride) }
}
