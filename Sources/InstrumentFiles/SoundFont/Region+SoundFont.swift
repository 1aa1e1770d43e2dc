internal import DSP
internal import Music

extension Region {
  private typealias Code = SoundFontGenerator

  // The highest cutoff of the format means no filter.
  private static let openFilter = 13_500
  // The synthesizers that the format was made for applied 0.4 of the attenuation that a file gives,
  // software players such as FluidSynth do the same, and fonts are tuned for that. It doesn't affect
  // attenuation by velocity.
  private static let attenuationFactor = 0.4

  /// Sets the parameters from generator values, converted to this module's units.
  mutating func set(soundFont values: [Int], _ header: SoundFontTables.Sample, frames: Int) {
    setSample(values, header, frames: frames)
    let key = values[Code.rootKey]
    rootKey = (0...127).contains(key) ? key : header.root <= 127 ? header.root : 60
    tune = Double(values[Code.coarseTune] * 100 + values[Code.fineTune] + header.correction)
    keyTracking = Double(values[Code.scaleTuning])
    fixedKey = (0...127).contains(values[Code.fixedKey]) ? values[Code.fixedKey] : nil
    let velocity = values[Code.fixedVelocity]
    // Velocity 0 would be a note off.
    fixedVelocity = (1...127).contains(velocity) ? velocity : nil
    gain = -0.1 * Self.attenuationFactor * Double(values[Code.attenuation])
    // Resonance lowers the passband by half its gain, so that peak and passband are equally far from
    // the unfiltered level.
    gain -= 0.05 * Double(max(0, values[Code.filterQ]))
    pan = Double(values[Code.pan]) / 500
    group = max(0, values[Code.exclusiveClass])
    offBy = group
    setMovement(values)
    setFilter(values)
  }

  private mutating func setSample(
    _ values: [Int], _ header: SoundFontTables.Sample, frames: Int
  ) {
    func place(_ base: Int, _ fine: Int, _ coarse: Int) -> Int {
      base + values[fine] + 32_768 * values[coarse]
    }
    start = max(0, min(frames - 1, place(0, Code.startOffset, Code.startCoarse)))
    end = max(start + 1, min(frames, place(frames, Code.endOffset, Code.endCoarse)))
    // In a compressed font, loop points are relative to the beginning of the sample.
    let origin = header.kind & 0x10 != 0 ? 0 : header.start
    let from = place(header.loopStart - origin, Code.loopStartOffset, Code.loopStartCoarse)
    let to = place(header.loopEnd - origin, Code.loopEndOffset, Code.loopEndCoarse)
    guard from >= 0, from < to, to <= end, to > start else { return }
    loop = from..<to
    switch values[Code.sampleModes] & 3 {
    case 1: loopMode = .continuous
    case 3: loopMode = .untilRelease
    default: loop = 0..<0
    }
  }

  private mutating func setMovement(_ values: [Int]) {
    envelope = SamplerRegion.Envelope(
      soundFont: values, from: Code.volEnvDelay,
      sustain: SoundUnits.amplitude(decibels: -0.1 * Double(values[Code.volEnvSustain])))
    envelope.holdPerKey = Float(values[Code.volEnvHoldPerKey])
    envelope.decayPerKey = Float(values[Code.volEnvDecayPerKey])
    modulationEnvelope = SamplerRegion.Envelope(
      soundFont: values, from: Code.modEnvDelay,
      sustain: 1 - Double(values[Code.modEnvSustain]) / 1000)
    modulationEnvelope.holdPerKey = Float(values[Code.modEnvHoldPerKey])
    modulationEnvelope.decayPerKey = Float(values[Code.modEnvDecayPerKey])
    modulationToPitch = Double(values[Code.modEnvToPitch])
    modulationToFilter = Double(values[Code.modEnvToFilter])
    tremolo.delay = Self.seconds(values[Code.modLFODelay])
    tremolo.frequency = Self.hertz(values[Code.modLFOFrequency])
    tremolo.toPitch = Float(values[Code.modLFOToPitch])
    tremolo.toFilter = Float(values[Code.modLFOToFilter])
    tremolo.toGain = Float(0.1 * Double(values[Code.modLFOToVolume]))
    vibrato.delay = Self.seconds(values[Code.vibLFODelay])
    vibrato.frequency = Self.hertz(values[Code.vibLFOFrequency])
    vibrato.toPitch = Float(values[Code.vibLFOToPitch])
  }

  private mutating func setFilter(_ values: [Int]) {
    let isMoved =
      modulators.contains { [.cutoff, .resonance, .tremoloToFilter].contains($0.target) }
      || modulationToFilter < 0 || tremolo.toFilter != 0
    guard values[Code.filterCutoff] < Self.openFilter || values[Code.filterQ] > 0 || isMoved else {
      return
    }
    var filter = SamplerRegion.Filter()
    filter.cutoff = Self.hertz(values[Code.filterCutoff])
    filter.resonance = Float(0.1 * Double(values[Code.filterQ]))
    self.filter = filter
  }

  /// Converts timecents to seconds.
  ///
  /// The minimum, -12000, means 0.
  fileprivate static func seconds(_ cents: Int) -> Float {
    cents <= -12_000 ? 0 : Float(Cents.ratio(Double(cents)))
  }

  private static func hertz(_ cents: Int) -> Float {
    Float(SoundUnits.hertz(cents: Double(cents)))
  }
}

extension SamplerRegion.Envelope {
  /// Creates an envelope from six adjacent generator values.
  fileprivate init(soundFont values: [Int], from code: Int, sustain: Double) {
    self.init()
    delay = Region.seconds(values[code])
    attack = Region.seconds(values[code + 1])
    hold = Region.seconds(values[code + 2])
    decay = Region.seconds(values[code + 3])
    self.sustain = Float(sustain)
    release = Region.seconds(values[code + 5])
    isWhole = true
  }
}
