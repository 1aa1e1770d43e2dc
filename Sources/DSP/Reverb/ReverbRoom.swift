/// The line lengths, tap positions and signs that define the reverb's sound.
///
/// They were found by a search for density in the first 20 ms and a tail without pitch.
enum ReverbRoom {
  /// Four steps of eight short delays, left lanes first: seconds, and a sign each.
  static let diffusion: [[(seconds: Double, sign: Float)]] = [
    [
      (0.01737, -1), (0.00878, 1), (0.01408, -1), (0.00408, -1),
      (0.00219, -1), (0.01979, 1), (0.00777, -1), (0.01193, 1),
    ],
    [
      (0.00996, -1), (0.00784, 1), (0.00546, -1), (0.00063, -1),
      (0.00072, 1), (0.01035, -1), (0.00363, -1), (0.00702, -1),
    ],
    [
      (0.00565, -1), (0.00037, -1), (0.00270, -1), (0.00408, -1),
      (0.00305, 1), (0.00446, 1), (0.00140, -1), (0.00575, -1),
    ],
    [
      (0.00059, -1), (0.00251, -1), (0.00147, 1), (0.00319, 1),
      (0.00128, 1), (0.00272, -1), (0.00022, -1), (0.00247, 1),
    ],
  ]

  /// The angle by which each step rotates the channels into each other.
  static let turn: Double = 0.36

  /// The lengths of the eight lines, relative to the longest.
  static let lengths: [Float] = [
    0.8726, 0.4901, 0.5442, 0.7672, 0.3616, 0.6414, 1.0000, 0.4249,
  ]

  /// Two tap positions per line, as shares of its length.
  ///
  /// Both channels hear the first with the same sign, the second with opposite signs.
  static let places: [(same: Float, opposite: Float)] = [
    (0.3647, 0.7553), (0.2214, 0.6456), (0.2860, 0.7483), (0.6940, 0.2920),
    (0.7621, 0.3614), (0.5923, 0.3689), (0.4534, 0.6492), (0.5472, 0.2920),
  ]

  /// The signs of these taps.
  static let signs: [(same: Float, opposite: Float)] = [
    (1, -1), (1, 1), (-1, -1), (1, 1), (1, 1), (-1, -1), (1, 1), (-1, 1),
  ]

  /// The modulation rate of each line, in Hz.
  static let swayHertz: [Double] = [0.31, 0.43, 0.57, 0.71, 0.37, 0.51, 0.63, 0.83]

  /// Returns the longest line, in seconds, for a size of 0 to 1.
  ///
  /// With shorter lines than at 0, the modes would be so sparse that they are heard one by one.
  @_noLocks
  static func longest(size: Float) -> Float { 0.055 + (0.23 + 0.05 * size) * size }

  /// The length of the longest line, in seconds, up to which tap positions scale with the length.
  static let middle: Float = 0.1825

  /// How much the first two taps scale beyond that: in large rooms there was a gap between the
  /// diffused input and the first taps.
  static let nearShare: Float = 0.2

  /// The earliest taps: indices into the eight same-sign taps followed by the eight opposite ones.
  static let near: [Int] = [1, 15]
}
