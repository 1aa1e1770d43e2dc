/// An instrument of samples, as a file describes it: regions, and the samples that they play.
///
/// All that a file leaves to its reader is worked out: what is here needs no look at the file but
/// for the sound itself, which `InstrumentSample.read` brings.
package struct Instrument: Sendable {
  /// What it is called.
  package let name: String
  /// What may sound; a note plays all regions that fit it.
  package let regions: [Region]
  /// What the regions play, each once.
  package let samples: [InstrumentSample]
  /// What of it can't be played, in one line each.
  package let faults: [String]
  /// What the file says that is not understood here, each once.
  package let unknown: [String]

  init(
    name: String, regions: [Region], samples: [InstrumentSample], faults: [String] = [],
    unknown: [String] = []
  ) {
    self.name = name
    self.regions = regions
    self.samples = samples
    self.faults = faults
    self.unknown = unknown
  }
}
