/// The whole numbers of a line of fields that are separated by spaces.
///
/// A field that is no whole number counts as 0.
struct NumberFields {
  private var numbers: [Int] = []

  /// Parses the first line of a text.
  init(_ text: some Sequence<UInt8>) {
    var number: Int?
    var isNegative = false
    for byte in text {
      switch byte {
      case UInt8(ascii: " "), UInt8(ascii: "\t"):
        if let done = number { numbers.append(isNegative ? 0 &- done : done) }
        (number, isNegative) = (nil, false)
        continue
      case UInt8(ascii: "0")...UInt8(ascii: "9"):
        number = (number ?? 0) &* 10 &+ Int(byte &- UInt8(ascii: "0"))
      case UInt8(ascii: "\n"):
        if let done = number { numbers.append(isNegative ? 0 &- done : done) }
        return
      case UInt8(ascii: "-"):
        isNegative = true
        number = number ?? 0
      default: number = number ?? 0
      }
    }
    if let done = number { numbers.append(isNegative ? 0 &- done : done) }
  }

  var count: Int { numbers.count }

  /// The number at an index; 0 behind the last one.
  subscript(index: Int) -> Int { index < numbers.count ? numbers[index] : 0 }
}
