internal import Music

/// One's own scales.
extension Fingerboard {
  /// Keeps a scale of one's own, in semitones above the root, or in notes of the present tuning.
  func addScale(_ name: String, _ steps: [Int], _ request: Request, into plan: inout Plan)
    throws(Refusal)
  {
    let scale: Scale
    do throws(MusicFault) {
      scale = try Scale(name: name, steps: steps, period: keyboard.grid.tuning.count)
    } catch {
      throw Refusal(error)
    }
    try changeScales(request, into: &plan) { scales, current throws(MusicFault) in
      try scales.add(scale)
      // The one that was called so until now.
      return current.name == name ? scale : nil
    }
  }

  /// Deletes a scale of one's own; where it is in use, all notes are there then.
  func deleteScale(_ name: String, _ request: Request, into plan: inout Plan) throws(Refusal) {
    try changeScales(request, into: &plan) { [keyboard] scales, current throws(MusicFault) in
      let deleted = try scales.scale(named: name)
      try scales.delete(name)
      return deleted == current ? try Scale.all(of: keyboard.grid.tuning.count) : nil
    }
    plan.afterwards { [context] in context.keep(Self.userScale, for: request) }
  }

  private func changeScales(
    _ request: Request, into plan: inout Plan,
    _ change: (inout ScaleBook, Scale) throws(MusicFault) -> Scale?
  ) throws(Refusal) {
    var scales = keyboard.scales
    let scale: Scale?
    do throws(MusicFault) {
      scale = try change(&scales, keyboard.grid.scale)
    } catch {
      throw Refusal(error)
    }
    if let scale {
      try changeGrid(request, into: &plan) { grid in grid.scale = scale }
      plan.afterwards { [context] in context.keep(Self.scale, for: request) }
    }
    keyboard.scales = scales
    plan.afterwards { [context] in context.changed(Self.scales) }
  }

  /// One's own scales as they are kept: the name, the period where it is not 12, and the steps, such
  /// as `mine:0,3,7` and `bohlen/13:0,2,4`.
  var ownScales: [String] {
    keyboard.scales.own.map { scale in
      let period = scale.period == 12 ? "" : "/\(scale.period)"
      return "\(scale.name)\(period):" + scale.steps.map { "\($0)" }.joined(separator: ",")
    }
  }

  /// Takes over scales that were kept; returns a line for each that can't be.
  func restoreScales(_ kept: String) -> [String] {
    defer { context.changed(Self.scales) }
    return kept.split(separator: " ").compactMap { text in
      let parts = text.split(separator: ":", maxSplits: 1)
      let name = parts[0].split(separator: "/", maxSplits: 1)
      let steps = parts.dropFirst().first?.split(separator: ",").compactMap { Int($0) } ?? []
      let period = name.count > 1 ? Int(name[1]) ?? 0 : 12
      do throws(MusicFault) {
        try keyboard.scales.add(
          Scale(name: name.first.map { String($0) } ?? "", steps: steps, period: period))
        return nil
      } catch {
        return "the scale \(quoted(String(text))) is not as it was kept: \(error.description)"
      }
    }
  }
}
