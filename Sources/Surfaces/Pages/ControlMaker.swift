internal import Control

/// Makes the controls of a page, whose addresses are checked against a table.
///
/// By default, a control is named after the last part of its address, and labeled with its name.
struct ControlMaker {
  /// A kind of control with one address, by what the address must take.
  enum Kind { case press, flag, fader, stepper, key }

  let table: AddressTable
  /// The color of controls without one of their own.
  var accent = SurfaceControl.Accent.plain
  /// The beginning of all addresses.
  var root = ""

  /// Makes a button, fader, stepper or key.
  func callAsFunction(
    _ kind: Kind, _ path: String, _ name: String? = nil, _ caption: String? = nil,
    width: Double = 1, accent: SurfaceControl.Accent? = nil
  ) throws(SurfaceFault) -> SurfaceControl {
    let whole = root + path
    let kind: SurfaceControl.Kind =
      switch kind {
      case .press: .press(try table.action(whole))
      case .flag: .flag(try table.flag(whole))
      case .fader: .fader(try table.number(whole))
      case .stepper: .stepper(try table.number(whole))
      case .key: .key(try table.number(whole))
      }
    let name = name ?? path.split(separator: "/").last.map(String.init) ?? path
    return SurfaceControl(
      name, caption ?? name.asCaption, kind, width: width, accent: accent ?? self.accent)
  }

  /// Makes a button that sets an address to a constant.
  func choice(
    _ path: String, _ constant: AddressUse.Constant, _ name: String, _ caption: String? = nil
  ) throws(SurfaceFault) -> SurfaceControl {
    SurfaceControl(
      name, caption ?? name.asCaption, .choice(try table.constant(root + path, constant)),
      accent: accent)
  }

  /// Makes a list of names, three to a row.
  func names(
    _ list: String, _ chosen: String, _ name: String, _ caption: String, rows: Int = 3
  ) throws(SurfaceFault) -> SurfaceControl {
    SurfaceControl(
      name, caption,
      .names(
        list: try table.reported(list), chosen: try table.text(chosen), rows: rows, columns: 3),
      accent: accent)
  }
}

extension String {
  /// The name as a label, with a capital letter.
  var asCaption: String { prefix(1).uppercased() + dropFirst() }
}
