import Foundation

// Simulated fingers and keys.
//
// Fingers use the DevTools protocol: WebDriver Actions lose a held finger when another one moves in
// a later call.
extension Browser {
  /// Puts a finger down.
  package func press(_ finger: Int = 1, at point: Point) throws {
    fingers[finger] = point
    try touch("touchStart", fingers)
  }

  /// Moves a finger in one jump, as when a hand is faster than the screen's sampling.
  package func move(_ finger: Int = 1, to point: Point) throws {
    fingers[finger] = point
    try touch("touchMove", fingers)
  }

  /// Lifts a finger.
  package func lift(_ finger: Int = 1) throws {
    guard let point = fingers.removeValue(forKey: finger) else { return }
    try touch("touchEnd", [finger: point])
  }

  /// Cancels all touches, as the system does to claim them for itself.
  package func cancelTouches() throws {
    fingers = [:]
    try touch("touchCancel", [:])
  }

  /// Taps at a point.
  package func tap(_ point: Point) throws {
    try press(at: point)
    try lift()
  }

  /// Taps twice, a tenth of a second apart by the times of the touches, however long the browser takes.
  package func doubleTap(_ selector: String) throws {
    let point = try place(selector)
    let begin = Date.now.timeIntervalSince1970 - 0.2
    for tap in 0...1 {
      let time = begin + 0.1 * Double(tap)
      try touch("touchStart", [1: point], time: time)
      try touch("touchEnd", [1: point], time: time + 0.02)
    }
  }

  private func touch(_ type: String, _ fingers: [Int: Point], time: Double? = nil) throws {
    let points = fingers.sorted { $0.key < $1.key }.map {
      ["id": $0.key, "x": $0.value.x, "y": $0.value.y] as [String: Any]
    }
    var parameters: [String: Any] = ["type": type, "touchPoints": points]
    parameters["timestamp"] = time
    try command("Input.dispatchTouchEvent", parameters)
  }

  // MARK: - Positions

  /// The bounding box of an element in the window, once it is visible.
  package func box(_ selector: String) throws -> (
    x: Double, y: Double, width: Double, height: Double
  ) {
    // On a busy machine, the page may still be drawing it, or moving it.
    let quoted = "\"" + selector.replacing("\"", with: "\\\"") + "\""
    let isVisible = """
      (() => {
        const found = document.querySelector(\(quoted));
        const { width, height } = found?.getBoundingClientRect() ?? {};
        const isMoving = document.getAnimations().some(({ playState, effect }) =>
          playState === "running" && effect.getTiming().iterations !== Infinity
            && effect.target.contains(found));
        return width > 0 && height > 0 && !isMoving;
      })()
      """
    try self.await(isVisible)
    let box = try numbers(
      """
      const found = document.querySelector(arguments[0]);
      if (!found) return [];
      found.scrollIntoView({ block: "nearest", inline: "nearest" });
      const { x, y, width, height } = found.getBoundingClientRect();
      return [x, y, width, height];
      """, selector)
    guard box.count == 4, box[2] > 0, box[3] > 0 else {
      throw Fault("\(selector) is not visible at \(try text("return location.href"))")
    }
    return (box[0], box[1], box[2], box[3])
  }

  /// A point in an element, in fractions of its width and height.
  package func place(_ selector: String, _ across: Double = 0.5, _ down: Double = 0.5) throws
    -> Point
  {
    let box = try box(selector)
    return Point(box.x + box.width * across, box.y + box.height * down)
  }

  /// Taps the middle of an element.
  package func tap(_ selector: String) throws { try tap(try place(selector)) }

  /// Taps an element that can be held: however busy the browser is, no time passes before the release.
  package func tapAtOnce(_ selector: String) throws {
    try run(
      """
      const found = document.querySelector(arguments[0]);
      for (const type of ["pointerdown", "pointerup", "click"])
        found.dispatchEvent(new PointerEvent(type, { bubbles: true }));
      """, selector)
  }

  // MARK: - Keys

  /// Types keys in sequence, by their WebDriver codes.
  package func type(_ keys: String) throws {
    let actions = keys.flatMap { key in
      ["keyDown", "keyUp"].map { ["type": $0, "value": String(key)] }
    }
    _ = try ask(
      "POST", "/actions",
      ["actions": [["type": "key", "id": "keyboard", "actions": actions] as [String: Any]]])
  }

  /// Types a key with Shift: a letter or a digit, by its place on an American keyboard.
  package func typeShifted(_ key: String) throws {
    let shift = "\u{E008}"
    let symbols = Array(")!@#$%^&*(")
    let value = Int(key).map { String(symbols[$0]) } ?? key.uppercased()
    let actions = [("keyDown", shift), ("keyDown", value), ("keyUp", value), ("keyUp", shift)]
      .map { ["type": $0.0, "value": $0.1] }
    _ = try ask(
      "POST", "/actions",
      ["actions": [["type": "key", "id": "keyboard", "actions": actions] as [String: Any]]])
  }

  /// Replaces the text of a field.
  package func write(_ text: String, into selector: String) throws {
    try run(
      "const field = document.querySelector(arguments[0]); field.focus(); field.select();", selector
    )
    try type(text.isEmpty ? "\u{E003}" : text)
  }

  /// Selects a local file in a file field.
  package func choose(file path: String, in selector: String) throws {
    _ = try ask("POST", "/element/\(try element(selector))/value", ["text": path])
  }

  private func element(_ selector: String) throws -> String {
    let found = try ask("POST", "/element", ["using": "css selector", "value": selector])
    guard let id = (found as? [String: String])?.values.first else {
      throw Fault("\(selector) not found")
    }
    return id
  }
}
