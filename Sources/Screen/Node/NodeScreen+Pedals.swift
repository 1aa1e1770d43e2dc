/// The page of MIDI and key bindings.
extension NodeScreen {
  /// Draws the bindings.
  mutating func drawPedals(_ area: Area) {
    guard area.rows > 1 else { return }
    title("Bindings \(picture.bindings.count)", area)
    if picture.bindings.isEmpty {
      put("/midi/learn binds an address to the next press", area, row: 1, column: 1)
    }
    for (index, binding) in picture.bindings.prefix(area.rows - 1).enumerated() {
      put(binding.trigger, area, row: index + 1, column: 1, width: 20)
      put(binding.press, area, row: index + 1, column: 22, width: 6, style: .dim)
      put(binding.address, area, row: index + 1, column: 30, width: 30)
      put(binding.argument, area, row: index + 1, column: 61)
    }
    let left = picture.bindings.count - (area.rows - 1)
    if left > 0 {
      put(" +\(left) more ", area, row: 0, column: area.columns - 12, style: .dim)
    }
  }
}
