internal import Posix

/// Reads a folder of WAV files whose names contain their notes, such as `A4.wav`, `piano_C#3.wav`
/// and `60.wav`.
package enum InstrumentFolder {
  /// Reads the folder at a path.
  ///
  /// Each note plays the sample of the nearest key. `Instrument.faults` lists files that can't be
  /// played.
  package static func read(_ path: String) throws(InstrumentFault) -> Instrument {
    let folder = try system(try Files.resolved(path), or: InstrumentFault.init)
    let names = try system(try Files.list(folder), or: InstrumentFault.init)
    var faults: [String] = []
    var samples: [InstrumentSample] = []
    var found: [(key: Int, sample: Int, loop: Range<Int>?)] = []
    for name in names.sorted() where name.lowercased().hasSuffix(".wav") {
      guard let key = WrittenKey.key(inFile: name) else {
        faults.append("\(name) has no note in its name, such as C#3 or 60")
        continue
      }
      if let same = found.first(where: { $0.key == key }) {
        faults.append("\(name) has the same note as \(samples[same.sample].name)")
        continue
      }
      do throws(InstrumentFault) {
        let sound = try SampleFile("\(folder)/\(name)")
        found.append((key, samples.count, sound.loop))
        samples.append(
          InstrumentSample(
            name: name, path: "\(folder)/\(name)", storage: .file,
            channels: min(2, sound.channels), frames: sound.frames, rate: sound.rate))
      } catch {
        faults.append(error.description)
      }
    }
    guard !found.isEmpty else {
      throw InstrumentFault(
        .missing, "\(path) has no playable WAV file with a note in its name")
    }
    found.sort { $0.key < $1.key }
    let ranges = KeySplit.ranges(of: found.map(\.key))
    let regions = found.indices.map { index in
      var opcodes = SFZOpcodes()
      _ = opcodes.set("pitch_keycenter", "\(found[index].key)")
      _ = opcodes.set("lokey", "\(ranges[index].lowerBound)")
      _ = opcodes.set("hikey", "\(ranges[index].upperBound)")
      let sample = found[index].sample
      return opcodes.region(
        sample: sample, frames: samples[sample].frames, loop: found[index].loop, nameKey: nil)
    }
    let name = folder.split(separator: "/").last.map(String.init) ?? folder
    return Instrument(name: name, regions: regions, samples: samples, faults: faults)
  }
}
