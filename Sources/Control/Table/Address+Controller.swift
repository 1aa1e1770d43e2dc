internal import Glibc
internal import OSC

extension Address {
  /// The argument that sets it when a controller is turned to a value from 0 to 127; nil where it takes
  /// no number.
  ///
  /// The controller's whole way is the address's whole range: in equal steps, or in equal ratios
  /// where it is of frequencies or times. What is on or off, and what is pressed, is so from 64 on.
  func argument(turnedTo value: Int) -> Argument? {
    let share = Double(value) / 127
    if let act, act.isButton { return .int32(value >= 64 ? 1 : 0) }
    if isProcess { return .int32(value >= 64 ? 1 : 0) }
    // What is played by a number is turned, too; what is asked by one is not.
    guard act?.isPlanned ?? hasValue, forms.count == 1, forms[0].kind != .text,
      forms[0].range != Form.anything
    else { return nil }
    let range = forms[0].range
    return forms[0].kind == .whole
      ? whole(share, from: range.lowerBound, to: range.upperBound)
      : .float(place(share, from: Float(range.lowerBound), to: Float(range.upperBound)))
  }

  private func place(_ share: Double, from least: Float, to greatest: Float) -> Float {
    let (low, high) = (Double(least), Double(greatest))
    let isRatio = (unit == "Hz" || unit == "s") && low > 0
    let place = isRatio ? low * pow(high / low, share) : low + (high - low) * share
    return min(max(Float(place), least), greatest)
  }

  private func whole(_ share: Double, from least: Double, to greatest: Double) -> Argument {
    let place = (least + (greatest - least) * share).rounded()
    if place == 0 && !allowsZero { return .int32(share >= 0.5 ? 1 : -1) }
    return .int32(Int32(place))
  }
}
