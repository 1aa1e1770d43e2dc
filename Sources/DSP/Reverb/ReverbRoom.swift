/// The lengths, places and signs that make a reverb sound as it does.
///
/// They were searched for by what they sound like: the density of the first 20 ms, and a tail
/// without a note of its own.
enum ReverbRoom {
  /// Four steps of eight short delays: seconds, left lanes first, and the sign of each.
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

  /// The angle by which each step turns the sides into each other.
  static let turn: Double = 0.36

  /// The eight lines' lengths, the longest as 1.
  static let lengths: [Float] = [
    0.8726, 0.4901, 0.5442, 0.7672, 0.3616, 0.6414, 1.0000, 0.4249,
  ]

  /// Two places at which each line is heard on its way, as shares of its length: of the first,
  /// both sides hear the same, of the second the opposite.
  static let places: [(same: Float, opposite: Float)] = [
    (0.3647, 0.7553), (0.2214, 0.6456), (0.2860, 0.7483), (0.6940, 0.2920),
    (0.7621, 0.3614), (0.5923, 0.3689), (0.4534, 0.6492), (0.5472, 0.2920),
  ]

  /// The signs that these are heard with.
  static let signs: [(same: Float, opposite: Float)] = [
    (1, -1), (1, 1), (-1, -1), (1, 1), (1, 1), (-1, -1), (1, 1), (-1, 1),
  ]

  /// How often a second each line's length sways.
  static let swayHertz: [Double] = [0.31, 0.43, 0.57, 0.71, 0.37, 0.51, 0.63, 0.83]

  /// The longest line, in seconds, for a size of 0 to 1.
  ///
  /// Shorter than the shortest here, all lines together had so few notes that they were heard
  /// one by one.
  @_noLocks
  static func longest(size: Float) -> Float { 0.055 + (0.23 + 0.05 * size) * size }

  /// The length up to which all places are shares of the length, as that of the longest line in
  /// seconds.
  static let middle: Float = 0.1825

  /// How much of what is beyond that the first two places have: in large rooms there was a hole
  /// between what enters and what is heard on the way.
  static let nearShare: Float = 0.2

  /// The places that are heard first, counted as all of the first kind and then all of the second.
  static let near: [Int] = [1, 15]
}
