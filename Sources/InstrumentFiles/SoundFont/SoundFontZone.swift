/// The generators of a zone (its parameters), by number.
enum SoundFontGenerator {
  static let startOffset = 0, endOffset = 1, loopStartOffset = 2, loopEndOffset = 3
  static let startCoarse = 4
  static let modLFOToPitch = 5, vibLFOToPitch = 6, modEnvToPitch = 7
  static let filterCutoff = 8, filterQ = 9, modLFOToFilter = 10, modEnvToFilter = 11
  static let endCoarse = 12
  static let modLFOToVolume = 13
  static let chorus = 15, reverb = 16, pan = 17
  static let modLFODelay = 21, modLFOFrequency = 22, vibLFODelay = 23, vibLFOFrequency = 24
  static let modEnvDelay = 25, modEnvSustain = 29
  static let modEnvHoldPerKey = 31, modEnvDecayPerKey = 32
  static let volEnvDelay = 33, volEnvSustain = 37
  static let volEnvHoldPerKey = 39, volEnvDecayPerKey = 40
  static let instrument = 41, keyRange = 43, velocityRange = 44
  static let loopStartCoarse = 45, fixedKey = 46, fixedVelocity = 47, attenuation = 48
  static let loopEndCoarse = 50, coarseTune = 51, fineTune = 52
  static let sample = 53, sampleModes = 54, scaleTuning = 56, exclusiveClass = 57, rootKey = 58
  static let count = 61

  /// The values of generators that a file omits.
  static let defaults: [Int] = {
    var values = [Int](repeating: 0, count: count)
    values[filterCutoff] = 13_500
    for code in [modLFODelay, vibLFODelay, 25, 26, 27, 28, 30, 33, 34, 35, 36, 38] {
      values[code] = -12_000
    }
    for code in [fixedKey, fixedVelocity, rootKey] { values[code] = -1 }
    values[scaleTuning] = 100
    return values
  }()

  /// Whether a generator applies to samples only, and is ignored in a program's zone.
  static func isOfSamplesOnly(_ code: Int) -> Bool {
    switch code {
    case 0...4, endCoarse, loopStartCoarse, fixedKey, fixedVelocity, loopEndCoarse, sampleModes,
      exclusiveClass, rootKey:
      true
    default: false
    }
  }

  /// Returns the valid range of a generator's value.
  static func range(_ code: Int) -> ClosedRange<Int> {
    switch code {
    case 5...7, 10, 11: -12_000...12_000
    case filterCutoff: 1500...13_500
    case filterQ: 0...960
    case modLFOToVolume: -960...960
    case chorus, reverb: 0...1000
    case pan: -500...500
    case modLFODelay, vibLFODelay, 25, 27, 33, 35: -12_000...5000
    case modLFOFrequency, vibLFOFrequency: -16_000...4500
    case 26, 28, 30, 34, 36, 38: -12_000...8000
    case modEnvSustain: 0...1000
    case volEnvSustain, attenuation: 0...1440
    case 31, 32, 39, 40: -1200...1200
    case coarseTune: -120...120
    case fineTune: -99...99
    case scaleTuning: 0...1200
    default: -32_768...32_767
    }
  }
}

/// A zone of a program or an instrument.
struct SoundFontZone {
  var keys = 0...127
  var velocities = 0...127
  /// The values, by generator number.
  var values: [Int]
  var modulators: [Modulator] = []
  /// The index of its instrument or sample, or nil in a global zone.
  var content: Int?

  // More than any real instrument has. They are copied into each region.
  static let mostModulators = 64

  /// Resolves the zones of a range of bags.
  ///
  /// Each includes the values of the global zone.
  static func zones(
    of bags: ArraySlice<SoundFontTables.Bag>, last: SoundFontTables.Bag,
    _ generators: [SoundFontTables.Generator], _ modulators: [SoundFontTables.RawModulator],
    content: Int
  ) -> [SoundFontZone] {
    let isProgram = content == SoundFontGenerator.instrument
    let base = SoundFontZone(
      values: isProgram
        ? [Int](repeating: 0, count: SoundFontGenerator.count) : SoundFontGenerator.defaults)
    var common = base
    var zones: [SoundFontZone] = []
    for index in bags.indices {
      let bag = bags[index]
      let next = index + 1 < bags.endIndex ? bags[index + 1] : last
      var zone = common
      zone.add(
        generators[clipped: bag.generator..<next.generator], content: content,
        isProgram: isProgram)
      var own: [Modulator] = []
      for raw in modulators[clipped: bag.modulator..<next.modulator].prefix(mostModulators) {
        guard let modulator = Modulator(raw) else { continue }
        own.removeAll(where: modulator.isSame)
        own.append(modulator)
      }
      zone.modulators.removeAll { old in own.contains(where: old.isSame) }
      zone.modulators += own
      if zone.content != nil {
        zones.append(zone)
      } else if index == bags.startIndex {
        common = zone
      }
    }
    return zones
  }

  private mutating func add(
    _ generators: ArraySlice<SoundFontTables.Generator>, content code: Int, isProgram: Bool
  ) {
    for (index, generator) in generators.enumerated() {
      switch generator.code {
      case code:
        content = generator.index
        // The specification puts it last.
        return
      case SoundFontGenerator.keyRange where index == 0:
        keys = Self.range(generator)
      case SoundFontGenerator.velocityRange where index < 2:
        velocities = Self.range(generator)
      case 0..<SoundFontGenerator.count
      where !(isProgram && SoundFontGenerator.isOfSamplesOnly(generator.code)):
        values[generator.code] = generator.amount
      default: break
      }
    }
  }

  private static func range(_ generator: SoundFontTables.Generator) -> ClosedRange<Int> {
    let (low, high) = (min(127, Int(generator.low)), min(127, Int(generator.high)))
    return min(low, high)...max(low, high)
  }
}

extension Array {
  fileprivate subscript(clipped range: Range<Int>) -> ArraySlice<Element> {
    self[range.clamped(to: indices)]
  }
}
