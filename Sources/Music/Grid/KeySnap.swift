/// Maps the keys of a MIDI keyboard to pitches of a grid.
package enum KeySnap {
  /// Returns the pitch of each MIDI key, 0 to 127, in cents above key 0 with A4 at 440 Hz.
  ///
  /// With `snaps`, a key outside the scale plays the nearest note of it, the lower of two equally
  /// near ones. Otherwise each key plays its own note of the tuning.
  package static func cents(of grid: Grid, snaps: Bool) throws(MusicFault) -> [Double] {
    try grid.check()
    let lowest = grid.lowestNote
    // As on the grid: tunings of other than twelve notes start on the root.
    let tuning = grid.tuning.count == 12 ? grid.tuning : try grid.tuning.moved(to: lowest)
    return (0..<128).map { key in
      let note = snaps ? nearest(to: key, in: grid.scale, above: lowest) : key
      return Cents.of(tuning.frequency(of: note) / Tuning.equal.referenceHz) + 6900
    }
  }

  private static func nearest(to key: Int, in scale: Scale, above lowest: Int) -> Int {
    func isInScale(_ note: Int) -> Bool {
      // Beyond the MIDI range, pitches of unusual tunings may be NaN.
      0...127 ~= note && scale.steps.contains((note - lowest).remainder(of: scale.period))
    }
    // The grid's root is one of the keys, so the search always succeeds.
    for distance in 0...127 {
      if isInScale(key - distance) { return key - distance }
      if isInScale(key + distance) { return key + distance }
    }
    return key
  }
}
