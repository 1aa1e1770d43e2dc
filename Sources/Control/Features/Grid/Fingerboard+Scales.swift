internal import Music
internal import OSC

/// User scales.
extension Fingerboard {
  /// Saves a user scale, in semitones above the root, or in notes of the current tuning.
  func addScale(_ request: Request, into plan: inout Plan) throws(Refusal) {
    let name = request.text(0) ?? ""
    let steps = request.arguments.indices.dropFirst().compactMap { request.whole($0) }
    let scale = try refusing { () throws(MusicFault) in
      try Scale(name: name, steps: steps, period: gridState.grid.tuning.count)
    }
    try changeScales(request, into: &plan) { scales, current throws(MusicFault) in
      try scales.add(scale)
      // The previous scale of that name.
      return current.name == name ? scale : nil
    }
  }

  /// Deletes a user scale.
  ///
  /// If it is in use, the grid becomes chromatic.
  func deleteScale(_ request: Request, into plan: inout Plan) throws(Refusal) {
    let name = request.text(0) ?? ""
    try changeScales(request, into: &plan) { [gridState] scales, current throws(MusicFault) in
      let deleted = try scales.scale(named: name)
      try scales.delete(name)
      return deleted == current ? try Scale.all(of: gridState.grid.tuning.count) : nil
    }
    plan.afterwards { [context] in context.keeper.keep(Self.userScale, for: request) }
  }

  private func changeScales(
    _ request: Request, into plan: inout Plan,
    _ change: (inout ScaleBook, Scale) throws(MusicFault) -> Scale?
  ) throws(Refusal) {
    var scales = gridState.scales
    let scale = try refusing { () throws(MusicFault) in
      try change(&scales, gridState.grid.scale)
    }
    if let scale {
      try changeGrid(request, into: &plan) { grid in grid.scale = scale }
      plan.afterwards { [context] in context.keeper.keep(Self.scale, for: request) }
    }
    gridState.scales = scales
    plan.afterwards { [context] in context.changed(Self.scales) }
  }

  /// User scales as text: the name, the period if it is not 12, and the steps, such as `mine:0,3,7` and
  /// `bohlen/13:0,2,4`.
  var ownScales: [String] {
    gridState.scales.own.map { scale in
      let period = scale.period == 12 ? "" : "/\(scale.period)"
      return "\(scale.name)\(period):" + scale.steps.map { "\($0)" }.joined(separator: ",")
    }
  }

  /// Restores user scales, and returns a line for each that can't be restored.
  func restoreScales(_ kept: String) -> [String] {
    defer { context.changed(Self.scales) }
    return kept.split(separator: " ").compactMap { text in
      let parts = text.split(separator: ":", maxSplits: 1)
      let name = parts[0].split(separator: "/", maxSplits: 1)
      let steps = parts.dropFirst().first?.split(separator: ",").compactMap { Int($0) } ?? []
      let period = name.count > 1 ? Int(name[1]) ?? 0 : 12
      do throws(MusicFault) {
        try gridState.scales.add(
          Scale(name: name.first.map { String($0) } ?? "", steps: steps, period: period))
        return nil
      } catch {
        return "the scale \(quoted(String(text))) is not restored: \(error.description)"
      }
    }
  }

  // MARK: - Addresses

  static let (scales, userScale, deletion) = ("/scales", "/scale/user", "/scale/delete")

  /// Scales: the built-in ones, and the user's.
  static let ofTheScales: [Address] = [
    Address(
      scales, Declared.reading(\.gridState.scales.names),
      "Names of all scales, user scales last"),
    setting(
      userScale, .needed("name", .text),
      .rest("semitones", .whole, in: 0...Double(Tuning.mostNotes - 1)), property: \.ownScales,
      Fingerboard.addScale,
      kept: Declared.kept(.home) { board in
        board.ownScales.joined(separator: " ")
      } restore: { board, text in
        board.restoreScales(text)
      },
      "Saves a user scale: its name, and its notes in ascending semitones above the root; "
        + "without arguments, replies with all, each as name:0,3,7"),
    Address(
      deletion, gesture([.needed("name", .text)], Fingerboard.deleteScale),
      "Deletes a user scale; if it is in use, the grid becomes chromatic"
    ).losing(),
  ]
}
