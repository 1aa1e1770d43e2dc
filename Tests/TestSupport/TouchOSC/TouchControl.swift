/// A control of a layout on the screen.
package final class TouchControl {
  /// The type, such as `BUTTON` or `FADER`.
  package let type: String
  /// The containing control.
  package private(set) weak var parent: TouchControl?
  /// The child controls, the topmost last.
  package private(set) var children: [TouchControl] = []

  /// The constant addresses of its messages.
  package let addresses: [String]

  let id: Int
  private var properties: [String: [String]] = [:]
  var values: [String: String]
  // The number of fingers on it.
  var fingers = 0

  init(
    id: Int, type: String, parent: TouchControl?, properties: [String: [String]],
    values: [String: String], addresses: [String]
  ) {
    self.id = id
    self.type = type
    self.parent = parent
    self.values = values
    self.addresses = addresses
    parent?.children.append(self)
    for (key, fields) in properties { setProperty(key, fields) }
  }

  /// Sets a property from its fields in the file.
  func setProperty(_ key: String, _ fields: [String]) {
    properties[key] = fields
    // Properties in frequent use are parsed once.
    switch key {
    case "name": name = fields[0]
    case "visible": isVisible = flag(key, or: true)
    case "interactive": isInteractive = flag(key, or: true)
    case "color": color = fields.map { Double($0) ?? 0 }
    case "frame":
      let sides = fields.map { Double($0) ?? 0 }
      frame = TouchFrame(x: sides[0], y: sides[1], width: sides[2], height: sides[3])
    default: break
    }
  }

  /// The name.
  package private(set) var name = ""
  /// The names from the root to the control.
  package var path: String { parent.map { $0.path + "/" + name } ?? name }
  /// The text of a label.
  package var text: String { values["text"] ?? "" }
  /// The value of a fader or a button from 0 to 1, or the step of a radio.
  package var x: Double { Double(values["x"] ?? "") ?? 0 }
  /// The page of a pager, counted from 0.
  package var page: Int { Int(values["page"] ?? "") ?? 0 }
  /// Whether a finger is on it.
  package var isTouched: Bool { values["touch"] == "true" }
  /// Whether its own property makes it visible.
  package private(set) var isVisible = true
  /// Whether it can be touched.
  package private(set) var isInteractive = true
  /// Red, green, blue and opacity from 0 to 1.
  package private(set) var color = [0.0, 0, 0, 1]
  /// The frame in the parent.
  package private(set) var frame = TouchFrame(x: 0, y: 0, width: 0, height: 0)

  /// The frame in its own coordinates, in which its children are placed.
  package var bounds: TouchFrame {
    TouchFrame(x: 0, y: 0, width: frame.width, height: frame.height)
  }

  /// Finds its descendants with a name.
  package func all(named name: String) -> [TouchControl] {
    children.flatMap { ($0.name == name ? [$0] : []) + $0.all(named: name) }
  }

  /// The control and its descendants.
  package var subtree: [TouchControl] { [self] + children.flatMap(\.subtree) }

  /// Its origin in screen coordinates.
  var origin: (x: Double, y: Double) {
    let above = parent?.origin ?? (x: 0, y: 0)
    return (above.x + frame.x, above.y + frame.y)
  }

  /// The center of the control, in screen coordinates.
  package var center: TouchPoint { point(0.5, 0.5) }

  /// Returns a point on the screen, from fractions of its width and height.
  package func point(_ across: Double, _ down: Double) -> TouchPoint {
    TouchPoint(x: origin.x + across * frame.width, y: origin.y + down * frame.height)
  }

  func flag(_ key: String, or standard: Bool) -> Bool {
    properties[key].map { $0.first == "1" || $0.first == "true" } ?? standard
  }

  func whole(_ key: String, or standard: Int) -> Int {
    properties[key]?.first.flatMap { Double($0) }.map { Int($0) } ?? standard
  }

  /// Whether it keeps a finger that moves out of it.
  var grabsFocus: Bool { flag("grabFocus", or: type != "GROUP" && type != "PAGER") }

  /// Finds the control that a touch at a point of the parent hits; nil if none.
  func hit(_ place: TouchPoint) -> TouchControl? {
    guard isVisible, frame.contains(place) else { return nil }
    let inside = TouchPoint(x: place.x - frame.x, y: place.y - frame.y)
    var shown = children
    if type == "PAGER" {
      if let tab = tab(at: inside), children.indices.contains(tab) {
        return isInteractive ? self : nil
      }
      shown = children.indices.contains(page) ? [children[page]] : []
    }
    for child in shown.reversed() {
      if let found = child.hit(inside) { return found }
    }
    return isInteractive ? self : nil
  }

  /// Finds the tab of a pager at a point in it.
  func tab(at place: TouchPoint) -> Int? {
    guard type == "PAGER", flag("tabbar", or: true), !children.isEmpty,
      place.y < Double(whole("tabbarSize", or: 40))
    else { return nil }
    return Int(place.x / frame.width * Double(children.count))
  }
}

/// A point on the screen.
package struct TouchPoint: Equatable {
  /// The distance from the left.
  package var x: Double
  /// The distance from the top.
  package var y: Double

  /// Creates a point on the screen.
  package init(x: Double, y: Double) {
    self.x = x
    self.y = y
  }
}

/// A rectangle of the screen.
package struct TouchFrame: Equatable {
  /// The left side.
  package var x: Double
  /// The upper side.
  package var y: Double
  /// The width.
  package var width: Double
  /// The height.
  package var height: Double

  /// Returns whether a point lies in the rectangle.
  package func contains(_ place: TouchPoint) -> Bool {
    place.x >= x && place.x < x + width && place.y >= y && place.y < y + height
  }

  /// Returns whether the rectangle encloses another one, to a hundredth of a point.
  package func encloses(_ other: TouchFrame) -> Bool {
    other.x >= x - 0.01 && other.y >= y - 0.01 && other.x + other.width <= x + width + 0.01
      && other.y + other.height <= y + height + 0.01
  }
}
