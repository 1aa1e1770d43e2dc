internal import Glibc
internal import OSC

extension Address {
  /// What it is set to by a controller that is turned to a value from 0 to 127; nil where it takes
  /// no number.
  ///
  /// The controller's whole way is the address's whole range: in equal steps, or in equal ratios
  /// where it is of frequencies or times. What is on or off, and what is pressed, is so from 64 on.
  func argument(turnedTo value: Int) -> Argument? {
    let share = Double(value) / 127
    switch kind {
    case .number(_, let range, _):
      return .float(place(share, from: range.lowerBound, to: range.upperBound))
    case .place(let range, _, _):
      return .float(place(share, from: range.lowerBound, to: range.upperBound))
    case .whole(_, let range, _):
      return whole(share, from: Double(range.lowerBound), to: Double(range.upperBound))
    case .toggle: return .int32(value >= 64 ? 1 : 0)
    case .setting(let forms, _, _) where forms.count == 1 && forms[0].kind != .text,
      .arrangement(let forms, _, _) where forms.count == 1 && forms[0].kind != .text,
      .gesture(let forms, false, _) where forms.count == 1 && forms[0].kind != .text:
      let range = forms[0].range
      if range == Form.anything { return nil }
      if forms[0].kind == .whole {
        return whole(share, from: range.lowerBound, to: range.upperBound)
      }
      return .float(place(share, from: Float(range.lowerBound), to: Float(range.upperBound)))
    case .action(_, isButton: true, _), .command(_, isButton: true, _),
      .gesture(_, isButton: true, _):
      return .int32(value >= 64 ? 1 : 0)
    default: return nil
    }
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
