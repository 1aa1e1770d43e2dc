/// An instrument with the sound of all its samples in memory.
package struct InstrumentSounds: Sendable {
  // What a machine with little memory can spare, of what is read as of what is made of it.
  private static let mostBytes = 1 << 30
  // A broken file can have a fault for each of thousands of samples.
  private static let mostFaults = 100

  /// The instrument, without what can't be played.
  package let instrument: Instrument
  /// The channels of each of its samples.
  package let channels: [[[Float]]]

  /// An instrument whose sounds are in memory already, or nowhere to be read from.
  init(instrument: Instrument, channels: [[[Float]]]) {
    self.instrument = instrument
    self.channels = channels
  }

  /// Reads the sounds of an instrument that will need so many bytes when it is played.
  ///
  /// `goesOn` is told how much is done, from 0 to 1, and says whether that goes on; nil where it
  /// did not. What can't be read of a sample is one of the faults, and it is left out.
  package static func read(
    _ instrument: Instrument, needing bytes: Int, goesOn: (Double) -> Bool
  ) throws(InstrumentFault) -> InstrumentSounds? {
    let used = Set(instrument.regions.map(\.sample))
    let sizes = instrument.samples.indices.map { index in
      used.contains(index)
        ? 4 * instrument.samples[index].channels * instrument.samples[index].frames : 0
    }
    let all = sizes.reduce(0, +)
    guard all <= mostBytes else {
      throw InstrumentFault(
        .tooLarge,
        "\(instrument.name) has \(all >> 20) MB of sound, and \(mostBytes >> 20) are the most")
    }
    guard bytes <= mostBytes else {
      throw InstrumentFault(
        .tooLarge,
        "\(instrument.name) would need \(bytes >> 20) MB of memory to be played on all of its keys, "
          + "and \(mostBytes >> 20) are the most; shorter samples, or keys nearer to their own, need "
          + "less")
    }
    var channels: [[[Float]]] = []
    var faults = instrument.faults
    var kept: [Int: Int] = [:]
    var done = 0
    for (index, sample) in instrument.samples.enumerated() where used.contains(index) {
      guard goesOn(Double(done) / Double(max(1, all))) else { return nil }
      done += sizes[index]
      do throws(InstrumentFault) {
        let sound = try sample.read()
        kept[index] = channels.count
        channels.append(sound)
      } catch {
        if faults.count < mostFaults { faults.append(error.description) }
      }
    }
    let result = instrument.keeping(kept, faults: faults)
    guard !result.regions.isEmpty else {
      throw InstrumentFault(
        .broken,
        "\(instrument.name) has nothing that can be played"
          + (faults.first.map { ": \($0)" } ?? ""))
    }
    return InstrumentSounds(instrument: result, channels: channels)
  }
}

extension Instrument {
  /// The instrument with some of its samples only, by the places that they have then.
  fileprivate func keeping(_ places: [Int: Int], faults: [String]) -> Instrument {
    let kept = places.sorted { $0.value < $1.value }.map { old, _ in
      var sample = samples[old]
      sample.partner = sample.partner.flatMap { places[$0] }
      return sample
    }
    let sounding = regions.compactMap { region -> Region? in
      guard let place = places[region.sample] else { return nil }
      var region = region
      region.sample = place
      return region
    }
    return Instrument(
      name: name, regions: sounding, samples: kept, faults: faults, unknown: unknown)
  }

  /// The notes for somebody who plays it, in one line each.
  package var notes: [String] {
    let most = 20
    var lines = Array(faults.prefix(most))
    if faults.count > most { lines.append("and \(faults.count - most) more of the kind") }
    if !unknown.isEmpty {
      let more = unknown.count > 30 ? " and \(unknown.count - 30) more" : ""
      lines.append(
        "not understood, and left out: \(unknown.prefix(30).joined(separator: ", "))\(more)")
    }
    return lines
  }
}
