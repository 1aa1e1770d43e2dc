internal import Glibc
internal import SoundFiles

extension SoundFont {
  // Far more than any real instrument has. A file can require billions.
  private static let mostRegions = 16_384
  private static let mostModulators = 1 << 20
  private static let drumBank = 128

  /// Resolves a program to its regions and samples.
  package func instrument(_ program: Program) throws(InstrumentFault) -> Instrument {
    guard tables.programs.indices.contains(program.index + 1), program.index >= 0 else {
      throw InstrumentFault(.missing, "\(path) has no program \(program.name)")
    }
    var builder = Builder(font: self)
    try builder.add(tables.programs[program.index].bag..<tables.programs[program.index + 1].bag)
    return builder.instrument(of: program)
  }

  private struct Builder {
    let font: SoundFont
    var regions: [Region] = []
    var samples: [InstrumentSample] = []
    var faults: [String] = []
    // The zones by instrument index, and the sample indices by index in the font, cached.
    var zones: [Int: [SoundFontZone]] = [:]
    var places: [Int: Int?] = [:]
    var pairs = 0
    var modulators = 0

    func instrument(of program: Program) -> Instrument {
      var samples = samples
      pair(&samples)
      return Instrument(
        name: program.name, regions: regions, samples: samples, faults: faults,
        isPercussion: program.bank == SoundFont.drumBank)
    }

    /// Links the two channels of stereo pairs.
    ///
    /// Well-known fonts omit the link. There, adjacent left and right samples of equal length form
    /// a pair.
    private func pair(_ samples: inout [InstrumentSample]) {
      let used = places.compactMapValues { $0 }
      for isNamed in [true, false] {
        for (source, place) in used.sorted(by: { $0.key < $1.key }) {
          let partner = isNamed ? font.tables.samples[source].partner : source + 1
          guard samples[place].partner == nil, let other = used[partner],
            samples[other].partner == nil, samples[place].isOtherSide(of: samples[other]),
            isNamed || samples[place].frames == samples[other].frames
          else { continue }
          samples[place].partner = other
          samples[other].partner = place
        }
      }
    }

    mutating func add(_ bags: Range<Int>) throws(InstrumentFault) {
      let tables = font.tables
      let outer = SoundFontZone.zones(
        of: tables.programBags[bags], last: tables.programBags[bags.upperBound],
        tables.programGenerators, tables.programModulators,
        content: SoundFontGenerator.instrument)
      for zone in outer {
        for inner in instrumentZones(zone.content!) {
          pairs += 1
          guard pairs <= 1 << 20 else { throw tooMany }
          let keys = zone.keys.overlaps(inner.keys)
          guard keys, zone.velocities.overlaps(inner.velocities),
            let sample = try sample(inner.content!)
          else { continue }
          let region = region(zone, inner, sample, font.tables.samples[inner.content!])
          modulators += region.modulators.count
          guard regions.count < mostRegions, modulators <= mostModulators else { throw tooMany }
          regions.append(region)
        }
      }
    }

    private var tooMany: InstrumentFault {
      InstrumentFault(
        .broken, "\(font.path) is invalid: a program has more than \(mostRegions) regions")
    }

    private mutating func instrumentZones(_ index: Int) -> [SoundFontZone] {
      if let known = zones[index] { return known }
      let tables = font.tables
      // The last record only marks the end of the one before.
      guard index + 1 < tables.instruments.count else {
        faults.append("a program refers to instrument \(index), which does not exist")
        zones[index] = []
        return []
      }
      let bags = tables.instruments[index].bag..<tables.instruments[index + 1].bag
      let found = SoundFontZone.zones(
        of: tables.instrumentBags[bags], last: tables.instrumentBags[bags.upperBound],
        tables.instrumentGenerators, tables.instrumentModulators,
        content: SoundFontGenerator.sample)
      zones[index] = found
      return found
    }

    /// The index of a sample in the instrument, or nil if it can't be played.
    private mutating func sample(_ index: Int) throws(InstrumentFault) -> Int? {
      if let known = places[index] { return known }
      do throws(InstrumentFault) {
        let sample = try font.sample(index)
        places[index] = .some(samples.count)
        samples.append(sample)
        return samples.count - 1
      } catch {
        places[index] = .some(nil)
        faults.append(error.description)
        return nil
      }
    }

    private func region(
      _ outer: SoundFontZone, _ inner: SoundFontZone, _ place: Int,
      _ header: SoundFontTables.Sample
    ) -> Region {
      var region = Region()
      region.keys = inner.keys.clamped(to: outer.keys)
      region.velocities = inner.velocities.clamped(to: outer.velocities)
      region.sample = place
      let values = inner.values.indices.map { code in
        let range = SoundFontGenerator.range(code)
        return max(range.lowerBound, min(range.upperBound, inner.values[code] + outer.values[code]))
      }
      region.modulators = modulators(outer, inner)
      region.set(soundFont: values, header, frames: samples[place].frames)
      return region
    }

    /// Modulators of the instrument override the defaults.
    ///
    /// Those of the program add to both.
    private func modulators(_ outer: SoundFontZone, _ inner: SoundFontZone) -> [Modulator] {
      var result = Modulator.defaults.filter { old in !inner.modulators.contains(where: old.isSame)
      }
      result += inner.modulators
      for added in outer.modulators {
        if let same = result.firstIndex(where: added.isSame) {
          result[same].amount += added.amount
        } else {
          result.append(added)
        }
      }
      return result.filter { $0.amount != 0 }
    }
  }

  // MARK: - Samples

  /// Locates a sample in the file, or throws if it can't be played.
  private func sample(_ index: Int) throws(InstrumentFault) -> InstrumentSample {
    // The last record only marks the end of the table.
    guard index + 1 < tables.samples.count else {
      throw InstrumentFault(.broken, "\(path) has no sample \(index)")
    }
    let header = tables.samples[index]
    guard header.kind & 0x8000 == 0 else {
      throw InstrumentFault(.broken, "the sample \(header.name) is in the ROM of a sound card")
    }
    let isVorbis = header.kind & 0x10 != 0
    // Offsets of compressed samples are in bytes.
    let bytes = isVorbis ? 1 : 2
    let sound = tables.sound
    guard header.start < header.end, header.end * bytes <= sound.count,
      header.end - header.start <= InstrumentSample.mostFrames
    else {
      throw InstrumentFault(
        .broken, "the sample \(header.name) exceeds the sound of \(path)")
    }
    let place = sound.lowerBound + header.start * bytes
    var (storage, frames, rate) = (
      InstrumentSample.Storage.integers(place: place), header.end - header.start, header.rate
    )
    if isVorbis {
      storage = .vorbis(place: place, bytes: frames)
      let head = try vorbis(at: place, bytes: frames)
      (frames, rate) = (head.frames, rate == 0 ? head.rate : rate)
    } else if let fine = tables.fineSound {
      storage = .fineIntegers(place: place, low: fine.lowerBound + header.start)
    }
    guard (400...1_000_000).contains(rate) else {
      throw InstrumentFault(.broken, "the sample \(header.name) has a rate of \(rate) Hz")
    }
    let side: InstrumentSample.Side =
      switch header.kind & 0xF {
      case 2: .right
      case 4: .left
      default: .none
      }
    return InstrumentSample(
      name: header.name, path: path, storage: storage, channels: 1, frames: frames, rate: rate,
      side: side)
  }

  /// Returns the length and the sample rate of a compressed sample, from its first and last bytes
  /// if possible.
  private func vorbis(
    at place: Int, bytes: Int
  ) throws(InstrumentFault) -> (frames: Int, rate: Int) {
    let ends = try asInstrument { () throws(SoundFileError) in
      try VorbisEnds(WaveFile(path, to: .read), place: place, bytes: bytes)
    }
    if let ends { return (ends.frames, ends.rate) }
    let file = try SampleFile(path, place: place, bytes: bytes)
    return (file.frames, file.rate)
  }
}
