/// A reader for SFZ files: text files of regions, each of which names a sound file.
package enum SFZ {
  // The limit of a SoundFont, too. Each region may open a file.
  private static let mostRegions = 16_384
  private static let mostFaults = 100

  /// Reads the file at a path.
  ///
  /// It may refer to files below its own folder, or below `root`, an ancestor of that.
  ///
  /// `Instrument.faults` lists what can't be played, `Instrument.unknown` the unsupported opcodes.
  /// The rest remains playable.
  package static func read(
    _ path: String, root: String? = nil
  ) throws(InstrumentFault) -> Instrument {
    let place = try SFZPlace(path, root: root)
    let file = path.split(separator: "/").last.map(String.init) ?? path
    let text = try SFZText(file, in: place)
    var builder = Builder(place: place, faults: text.faults)
    for section in text.sections { try builder.add(section) }
    try builder.finishRegion()
    guard builder.hasRegion else {
      throw InstrumentFault(.broken, "\(path) is not an SFZ file: it has no <region>")
    }
    let name = file.lowercased().hasSuffix(".sfz") ? String(file.dropLast(4)) : file
    return Instrument(
      name: name, regions: builder.regions, samples: builder.samples, faults: builder.faults,
      unknown: builder.unknown.sorted())
  }

  private struct Builder {
    let place: SFZPlace
    var faults: [String]
    var regions: [Region] = []
    var samples: [InstrumentSample] = []
    var unknown: Set<String> = []
    var hasRegion = false
    private var defaultPath = ""
    private var noteOffset = 0
    private var octaveOffset = 0
    // The opcodes inherited from the headers `<global>`, `<master>` and `<group>`, in this order.
    private var levels: [SFZOpcodes] = [SFZOpcodes(), SFZOpcodes(), SFZOpcodes()]
    private var region: SFZOpcodes?
    private var known: [String: (place: Int, loop: Range<Int>?)?] = [:]

    init(place: SFZPlace, faults: [String]) {
      self.place = place
      self.faults = faults
    }

    mutating func add(_ section: SFZText.Section) throws(InstrumentFault) {
      try finishRegion()
      switch section.name {
      case "control": control(section)
      case "global": set(section, level: 0)
      case "master": set(section, level: 1)
      case "group": set(section, level: 2)
      case "region":
        hasRegion = true
        var opcodes = levels[2]
        take(section, into: &opcodes)
        region = opcodes
      default: unknown.insert("<\(section.name.prefix(40))>")
      }
    }

    private mutating func control(_ section: SFZText.Section) {
      for (name, value) in section.opcodes {
        switch name {
        case "default_path": defaultPath = value
        case "note_offset": noteOffset = max(-127, min(127, Int(value) ?? 0))
        case "octave_offset": octaveOffset = max(-10, min(10, Int(value) ?? 0))
        default: note(name)
        }
      }
    }

    /// Resets a level and those below it to the level above, and applies the section.
    private mutating func set(_ section: SFZText.Section, level: Int) {
      var opcodes = level > 0 ? levels[level - 1] : SFZOpcodes()
      take(section, into: &opcodes)
      for lower in level..<levels.count { levels[lower] = opcodes }
    }

    private mutating func take(_ section: SFZText.Section, into opcodes: inout SFZOpcodes) {
      opcodes.keyOffset = noteOffset + 12 * octaveOffset
      for (name, value) in section.opcodes {
        if name == "sample" {
          opcodes.sample = value.hasPrefix("*") ? value : defaultPath + value
        } else {
          switch opcodes.set(name, value) {
          case .known: break
          case .unknown: note(name)
          case .wrong: fault("\(name)=\(value.prefix(60)): invalid value")
          }
        }
      }
    }

    private mutating func note(_ opcode: String) {
      if unknown.count < 1000 { unknown.insert(String(opcode.prefix(60))) }
    }

    private mutating func fault(_ text: String) {
      if faults.count < mostFaults, !faults.contains(text) { faults.append(text) }
    }

    /// Adds the current region, whose opcodes are complete.
    mutating func finishRegion() throws(InstrumentFault) {
      guard let opcodes = region else { return }
      region = nil
      guard let name = opcodes.sample, !name.isEmpty else {
        fault("a <region> has no sample")
        return
      }
      guard opcodes.isPlayed, let (index, loop) = sample(name) else { return }
      guard regions.count < mostRegions else {
        throw InstrumentFault(.broken, "the SFZ file has more than \(mostRegions) regions")
      }
      let key = WrittenKey.key(inFile: name)
      regions.append(
        opcodes.region(sample: index, frames: samples[index].frames, loop: loop, nameKey: key))
    }

    private mutating func sample(_ name: String) -> (place: Int, loop: Range<Int>?)? {
      if let found = known[name] { return found }
      do throws(InstrumentFault) {
        guard !name.hasPrefix("*") else {
          throw InstrumentFault(.missing, "\(name.prefix(60)) is a generator, not a sample")
        }
        let path = try place.path(of: name)
        let file = try SampleFile(path)
        let sample = InstrumentSample(
          name: String(name.split { $0 == "/" || $0 == "\\" }.last ?? ""), path: path,
          storage: .file, channels: min(2, file.channels), frames: file.frames, rate: file.rate)
        known[name] = .some((samples.count, file.loop))
        samples.append(sample)
      } catch {
        known[name] = .some(nil)
        fault(error.description)
      }
      return known[name] ?? nil
    }
  }
}
