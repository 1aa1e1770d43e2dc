/// The pitches of a MIDI keyboard's keys on a grid.
package enum KeySnap {
  /// Returns the pitch of each MIDI key, 0 to 127, in cents above key 0 with A4 at 440 Hz.
  ///
  /// Where it snaps, a key that is not in the scale plays the nearest note that is, and the lower one
  /// of two that are as near; else each key plays its own note of the tuning.
  package static func cents(of grid: Grid, snaps: Bool) throws(MusicFault) -> [Double] {
    try grid.check()
    let lowest = grid.lowestNote
    // As the grid has them: with other than twelve notes, the degrees lie above the root.
    let tuning = grid.tuning.count == 12 ? grid.tuning : try grid.tuning.moved(to: lowest)
    return (0..<128).map { key in
      let note = snaps ? nearest(to: key, in: grid.scale, above: lowest) : key
      return Cents.of(tuning.frequency(of: note) / Tuning.equal.referenceHz) + 6900
    }
  }

  private static func nearest(to key: Int, in scale: Scale, above lowest: Int) -> Int {
    func isInScale(_ note: Int) -> Bool {
      // Beyond the keys, a strange tuning has pitches that are no numbers any more.
      0...127 ~= note && scale.steps.contains((note - lowest).remainder(of: scale.period))
    }
    // The root of the grid is one of the keys.
    for distance in 0...127 {
      if isInScale(key - distance) { return key - distance }
      if isInScale(key + distance) { return key + distance }
    }
    return key
  }
}
