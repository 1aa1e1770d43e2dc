/// An instrument made of samples, as described by a file: its regions, and the samples that they
/// play.
///
/// All defaults and inherited values are resolved. Only the sound itself is read from the file
/// later, by `InstrumentSample.read`.
package struct Instrument: Sendable {
  package let name: String
  /// The regions.
  ///
  /// A note plays all regions that match it.
  package let regions: [Region]
  /// The samples that the regions play, without duplicates.
  package private(set) var samples: [InstrumentSample]
  /// The parts that can't be played, one line each.
  package private(set) var faults: [String] = []
  /// The unsupported opcodes of the file, without duplicates.
  package private(set) var unknown: [String] = []
  /// Whether each key plays a different sound, as in a drum kit.
  package private(set) var isPercussion = false

  /// The same description, without samples.
  var withoutSamples: Instrument {
    var copy = self
    copy.samples = []
    return copy
  }
}
