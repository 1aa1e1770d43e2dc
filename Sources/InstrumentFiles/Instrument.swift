/// An instrument of samples, as a file describes it: regions, and the samples that they play.
///
/// All that a file leaves to its reader is worked out: what is here needs no look at the file but
/// for the sound itself, which `InstrumentSample.read` brings.
package struct Instrument: Sendable {
  /// The name.
  package let name: String
  /// The regions; a note plays all that fit it.
  package let regions: [Region]
  /// The samples that the regions play, each once.
  package let samples: [InstrumentSample]
  /// The faults: what can't be played, in one line each.
  package let faults: [String]
  /// The words of the file that are not understood here, each once.
  package let unknown: [String]
  /// Whether each key is a sound of its own, as those of drums are.
  package let isPercussion: Bool

  init(
    name: String, regions: [Region], samples: [InstrumentSample], faults: [String] = [],
    unknown: [String] = [], isPercussion: Bool = false
  ) {
    self.name = name
    self.regions = regions
    self.samples = samples
    self.faults = faults
    self.unknown = unknown
    self.isPercussion = isPercussion
  }
}
