/// Splits the keyboard among samples: each key plays the sample of the nearest key.
enum KeySplit {
  /// Returns the key range of each sample for ascending root keys.
  ///
  /// Neighbors meet in the middle, and the outermost ranges extend to the ends of the keyboard.
  static func ranges(of keys: [Int]) -> [ClosedRange<Int>] {
    keys.indices.map { index in
      let low = index == 0 ? 0 : (keys[index - 1] + keys[index]) / 2 + 1
      let isLast = index == keys.count - 1
      return low...(isLast ? 127 : (keys[index] + keys[index + 1]) / 2)
    }
  }
}
