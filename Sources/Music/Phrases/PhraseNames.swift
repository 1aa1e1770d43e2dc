/// Names played notes in the key of the grid.
package struct PhraseNames: Sendable {
  private let scale: Scale
  private let spelling: Spelling
  private let lowest: Int
  // The pitch of each MIDI key in a tuning of twelve notes; otherwise empty.
  private let keys: [Double]

  /// Creates names for the key, scale and tuning of a grid.
  package init(_ grid: Grid) throws(MusicFault) {
    scale = grid.scale
    spelling = Spelling(of: grid.scale, on: grid.root)
    lowest = grid.lowestNote
    keys = grid.tuning.count == 12 ? try KeySnap.cents(of: grid, snaps: false) : []
  }

  /// Returns the name of a pitch in cents above MIDI key 0, without octave.
  ///
  /// In tunings of other than twelve notes, the name of the nearest of twelve and the offset in
  /// cents.
  package func name(cents: Double) -> String {
    guard !keys.isEmpty else {
      let key = (cents / 100).rounded()
      guard key.isFinite else { return "" }
      let off = Int((cents - key * 100).rounded())
      let name = "\(NoteName(Int(key), inFlats: spelling.inFlats))"
      return off == 0 ? name : name + (off > 0 ? "+" : "") + "\(off)"
    }
    let key = keys.indices.min { abs(keys[$0] - cents) < abs(keys[$1] - cents) } ?? 0
    if let degree = scale.steps.firstIndex(of: (key - lowest).remainder(of: 12)) {
      return "\(spelling.names[degree])"
    }
    return "\(NoteName(key, inFlats: spelling.inFlats))"
  }
}
