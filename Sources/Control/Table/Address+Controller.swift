internal import OSC

extension Address {
  /// The argument that sets the address when a controller is turned to a value from 0 to 127; nil if
  /// it takes no number.
  ///
  /// The controller's travel covers the range by the address's curve. 64 is the exact middle, as in
  /// MIDI 2.0's min-center-max scaling, so that a knob with a detent finds 0 semitones and the center
  /// of the stereo image. Switches and buttons are on from 64.
  func argument(turnedTo value: Int) -> Argument? {
    argument(at: value <= 64 ? Double(value) / 128 : 0.5 + Double(value - 64) / 126)
  }

  /// The argument that sets the address at a position of a controller's travel, 0 to 1; nil if it
  /// takes no number.
  func argument(at position: Double) -> Argument? {
    if act?.isButton ?? isProcess { return .int32(position >= 0.5 ? 1 : 0) }
    // Controllers play numbers, but a number that is a query's argument is no value to turn.
    guard act?.isPlanned ?? hasValue, forms.count == 1, forms[0].kind != .text,
      forms[0].range != Form.anything
    else { return nil }
    let value = curve.value(at: position, in: forms[0].range)
    guard forms[0].kind == .whole else { return .float(Float(value)) }
    if value.rounded() == 0 && !allowsZero { return .int32(position >= 0.5 ? 1 : -1) }
    return .int32(Int32(value.rounded()))
  }
}
