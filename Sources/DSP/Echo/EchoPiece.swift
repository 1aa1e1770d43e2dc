/// Room for what is made for one piece of sound: rows of equal length, for reading and writing
/// some frames more than there are.
struct EchoPiece: BitwiseCopyable {
  /// The most frames of a piece.
  static var longest: Int { @_noLocks get { 128 } }
  // The widest loops write 16 frames at a time.
  private static var stride: Int { @_noLocks get { longest &+ 16 } }

  /// The use of a row; where two sides are in two rows, the left one.
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

  /// Room that is freed with `deallocate`.
  init() {
    let count = Row.count.rawValue * Self.stride
    samples = .allocate(capacity: count)
    samples.initialize(repeating: 0, count: count)
  }

  /// Gives the room back.
  func deallocate() { samples.deallocate() }

  /// A row.
  @_noLocks
  func row(_ row: Row) -> UnsafeMutablePointer<Float> { samples + row.rawValue &* Self.stride }

  /// Both sides.
  @_noLocks
  func stereo(_ left: Row) -> Stereo { Stereo(row(left), row(left) + Self.stride) }
}
