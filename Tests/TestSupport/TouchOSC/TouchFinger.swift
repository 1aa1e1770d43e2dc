/// A finger on the screen of a simulated phone.
package final class TouchFinger {
  private let phone: TouchPhone
  private var control: TouchControl?
  private var place: TouchPoint

  init(_ phone: TouchPhone, _ place: TouchPoint) throws {
    self.phone = phone
    self.place = place
    try begin(phone.root.hit(place), isNew: true)
  }

  /// The control that it touches.
  package var touched: TouchControl? { control }

  /// Moves the finger to a point.
  ///
  /// If the control does not keep it, it enters the next one.
  package func move(to place: TouchPoint) throws {
    let before = self.place
    self.place = place
    if let control, control.grabsFocus {
      try drag(control, from: before)
      return
    }
    let next = phone.root.hit(place)
    if next === control {
      if let control { try drag(control, from: before) }
    } else {
      try end()
      try begin(next, isNew: false)
    }
  }

  /// Slides the finger to the center of a control, in steps.
  package func slide(to control: TouchControl) throws {
    let (start, end) = (place, control.center)
    for step in 1...8 {
      let part = Double(step) / 8
      try move(
        to: TouchPoint(x: start.x + part * (end.x - start.x), y: start.y + part * (end.y - start.y))
      )
    }
  }

  /// Lifts the finger from the screen.
  package func lift() throws { try end() }

  /// Begins a touch of the control under the finger.
  ///
  /// Only a new touch changes a tab.
  private func begin(_ next: TouchControl?, isNew: Bool) throws {
    control = next
    guard let next else { return }
    next.fingers += 1
    if next.fingers == 1 { try phone.set(next, "touch", "true") }
    switch next.type {
    case "BUTTON":
      switch next.whole("buttonType", or: 0) {
      case 0: try phone.set(next, "x", buttonValue(next))
      case 2: try phone.set(next, "x", next.x < 0.5 ? "1" : "0")
      default: break
      }
    case "PAGER" where isNew:
      let inside = TouchPoint(x: place.x - next.origin.x, y: place.y - next.origin.y)
      if let tab = next.tab(at: inside) { try phone.set(next, "page", "\(tab)") }
    case "FADER":
      if next.whole("response", or: 0) == 0 { try phone.set(next, "x", "\(way(next, place))") }
    case "RADIO": try step(next)
    default: break
    }
  }

  private func drag(_ control: TouchControl, from before: TouchPoint) throws {
    switch control.type {
    case "FADER":
      let isRelative = control.whole("response", or: 0) == 1
      let x =
        isRelative ? control.x + way(control, place) - way(control, before) : way(control, place)
      try phone.set(control, "x", "\(min(max(x, 0), 1))")
    case "RADIO": try step(control)
    case "BUTTON" where control.flag("valuePosition", or: false):
      try phone.set(control, "x", buttonValue(control))
    default: break
    }
  }

  private func end() throws {
    guard let control else { return }
    self.control = nil
    control.fingers -= 1
    if control.type == "BUTTON" {
      switch control.whole("buttonType", or: 0) {
      case 0 where control.fingers == 0: try phone.set(control, "x", "0")
      case 1: try phone.set(control, "x", control.x < 0.5 ? "1" : "0")
      default: break
      }
    }
    if control.fingers == 0 { try phone.set(control, "touch", "false") }
  }

  private func step(_ control: TouchControl) throws {
    let steps = control.whole("steps", or: 1)
    try phone.set(
      control, "x", "\(min(Int(way(control, place) * Double(steps)), steps - 1))")
  }

  private func buttonValue(_ control: TouchControl) -> String {
    control.flag("valuePosition", or: false) ? "\(way(control, place))" : "1"
  }

  /// Returns the value of a control at a point, from 0 to 1.
  private func way(_ control: TouchControl, _ place: TouchPoint) -> Double {
    let across = (place.x - control.origin.x) / control.frame.width
    let down = (place.y - control.origin.y) / control.frame.height
    let way =
      switch control.whole("orientation", or: 0) {
      case 1: across
      case 2: down
      case 3: 1 - across
      default: 1 - down
      }
    return min(max(way, 0), 1)
  }
}
