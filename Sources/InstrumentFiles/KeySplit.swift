/// Which of several samples plays which key: the one that is nearest.
enum KeySplit {
  /// The keys of each sample, of samples whose own keys rise: between two the upper one begins in
  /// the middle, and both ends reach to the last key.
  static func ranges(of keys: [Int]) -> [ClosedRange<Int>] {
    keys.indices.map { index in
      let low = index == 0 ? 0 : (keys[index - 1] + keys[index]) / 2 + 1
      let isLast = index == keys.count - 1
      return low...(isLast ? 127 : (keys[index] + keys[index + 1]) / 2)
    }
  }
}
