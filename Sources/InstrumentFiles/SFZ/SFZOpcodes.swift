internal import DSP
internal import Glibc

/// The opcodes of a region so far, including those inherited from headers.
struct SFZOpcodes {
  /// The result of setting an opcode.
  enum Result {
    case known, unknown, wrong
  }

  var sample: String?
  /// The offset of all keys that follow, in semitones.
  var keyOffset = 0
  private var region = Region()
  private var filter = SamplerRegion.Filter()
  private var hasCutoff = false
  private var velocityTracking = 100.0
  private var loopMode: SamplerRegion.LoopMode?
  private var loopStart: Int?
  private var loopEnd: Int?
  private var end: Int?
  private var rootKey: Int?
  private var rootIsOfSample = false
  private var transpose = 0.0
  private var amplitude = 100.0
  private var bend = 200.0
  private var delay: Float = 0
  private var low = 0
  private var high = 127
  private var lowVelocity = 0
  private var highVelocity = 127
  private var lowChance = 0.0
  private var highChance = 1.0
  private var switchLow: Int?
  private var switchHigh: Int?

  /// Whether the region can be triggered at all.
  var isPlayed: Bool {
    max(0, low) <= high && lowVelocity <= highVelocity && lowChance < highChance && end != 0
  }

  /// Applies an opcode.
  mutating func set(_ name: String, _ value: String) -> Result {
    let name = Self.aliases[name] ?? name
    for opcodes in [Self.conditions, Self.samples, Self.sounds, Self.filters] {
      if let take = opcodes[name] { return take(&self, value) ? .known : .wrong }
    }
    return setEnvelope(name, value)
  }

  // MARK: - Opcodes

  /// Stores the value of an opcode, or returns false if it is invalid.
  private typealias Setter = @Sendable (inout SFZOpcodes, String) -> Bool

  private static let aliases = [
    "offby": "off_by", "loopstart": "loop_start", "loopend": "loop_end", "loopmode": "loop_mode",
    "pitch": "tune", "gain": "volume", "bendup": "bend_up", "filtype": "fil_type",
  ]

  private static let conditions: [String: Setter] = [
    "key": key { ($0.low, $0.high, $0.rootKey) = ($1, $1, $1) },
    "lokey": keyOrNone { $0.low = $1 },
    "hikey": keyOrNone { $0.high = $1 },
    "lovel": whole(0...127) { $0.lowVelocity = $1 },
    "hivel": whole(0...127) { $0.highVelocity = $1 },
    "lorand": number(0...1) { $0.lowChance = $1 },
    "hirand": number(0...1) { $0.highChance = $1 },
    "seq_length": whole(1...1000) { $0.region.turn.length = $1 },
    "seq_position": whole(1...1000) { $0.region.turn.position = $1 },
    "group": whole(0...Int(Int32.max)) { $0.region.group = $1 },
    "off_by": whole(0...Int(Int32.max)) { $0.region.offBy = $1 },
    "trigger": word([
      "attack": SamplerRegion.Trigger.attack, "release": .release, "release_key": .release,
      "first": .first, "legato": .legato,
    ]) { $0.region.trigger = $1 },
    "sw_lokey": key { $0.switchLow = $1 },
    "sw_hikey": key { $0.switchHigh = $1 },
    "sw_last": key { $0.region.switches.last = $1 },
    "sw_default": key { $0.region.switches.initial = $1 },
    "sw_down": key { $0.region.switches.down = $1 },
    "sw_up": key { $0.region.switches.up = $1 },
    "sw_previous": key { $0.region.switches.previous = $1 },
  ]

  private static let samples: [String: Setter] = [
    "offset": whole(0...InstrumentSample.mostFrames) { $0.region.start = $1 },
    // The index of the last frame. -1 disables the region.
    "end": whole(-1...InstrumentSample.mostFrames) { $0.end = $1 + 1 },
    "loop_start": whole(0...InstrumentSample.mostFrames) { $0.loopStart = $1 },
    // The file contains the last frame of the loop, inclusive.
    "loop_end": whole(0...InstrumentSample.mostFrames) { $0.loopEnd = $1 + 1 },
    "loop_mode": word([
      "no_loop": SamplerRegion.LoopMode.none, "one_shot": .oneShot, "loop_continuous": .continuous,
      "loop_sustain": .untilRelease,
    ]) { $0.loopMode = $1 },
    "pitch_keycenter": { opcodes, value in
      opcodes.rootIsOfSample = value == "sample"
      return opcodes.rootIsOfSample || key({ $0.rootKey = $1 })(&opcodes, value)
    },
  ]

  private static let sounds: [String: Setter] = [
    "tune": number(-9600...9600) { $0.region.tune = $1 },
    "transpose": number(-127...127) { $0.transpose = $1 },
    "pitch_keytrack": number(-1200...1200) { $0.region.keyTracking = $1 },
    "volume": number(-144...48) { $0.region.gain = $1 },
    "amplitude": number(0...1000) { $0.amplitude = $1 },
    "amp_veltrack": number(-100...100) { $0.velocityTracking = $1 },
    "pan": number(-100...100) { $0.region.pan = $1 / 100 },
    // The sends to reverb and chorus: the chain has its own effects.
    "effect1": number(0...100) { _, _ in },
    "effect2": number(0...100) { _, _ in },
    "bend_up": number(-9600...9600) { $0.bend = $1 },
    "delay": float(0...100) { $0.delay = $1 },
    "amplfo_delay": float(0...100) { $0.region.tremolo.delay = $1 },
    "amplfo_freq": float(0...100) { $0.region.tremolo.frequency = $1 },
    "amplfo_depth": float(-24...24) { $0.region.tremolo.toGain = $1 },
    "pitchlfo_delay": float(0...100) { $0.region.vibrato.delay = $1 },
    "pitchlfo_freq": float(0...100) { $0.region.vibrato.frequency = $1 },
    "pitchlfo_depth": float(-1200...1200) { $0.region.vibrato.toPitch = $1 },
  ]

  private static let filters: [String: Setter] = [
    "fil_type": word([
      "lpf_1p": SamplerRegion.Filter.Kind.lowpass1, "lpf_2p": .lowpass2, "hpf_1p": .highpass1,
      "hpf_2p": .highpass2, "bpf_2p": .bandpass, "brf_2p": .bandreject,
    ]) { $0.filter.kind = $1 },
    "cutoff": float(0...100_000) { ($0.filter.cutoff, $0.hasCutoff) = ($1, true) },
    "resonance": float(0...96) { $0.filter.resonance = $1 },
    "fil_keytrack": float(0...1200) { $0.filter.perKey = $1 },
    "fil_veltrack": float(-9600...9600) { $0.filter.byVelocity = $1 },
    "fileg_depth": number(-12_000...12_000) { $0.region.modulationToFilter = $1 },
  ]

  private static let envelopeParts:
    [Substring: any WritableKeyPath<SamplerRegion.Envelope, Float> & Sendable] = [
      "delay": \.delay, "start": \.start, "attack": \.attack, "hold": \.hold, "decay": \.decay,
      "sustain": \.sustain, "release": \.release, "vel2attack": \.attackByVelocity,
      "vel2decay": \.decayByVelocity, "vel2sustain": \.sustainByVelocity,
      "vel2release": \.releaseByVelocity,
    ]

  private mutating func setEnvelope(_ name: String, _ value: String) -> Result {
    let part = name.dropFirst(6)
    guard name.hasPrefix("ampeg_") || name.hasPrefix("fileg_"), let place = Self.envelopeParts[part]
    else { return .unknown }
    let range = part.hasPrefix("vel2") ? -100.0...100 : 0...100
    guard let found = Double(value), range.contains(found) else { return .wrong }
    let isShare = part == "sustain" || part == "start" || part == "vel2sustain"
    let envelope = name.hasPrefix("ampeg_") ? \Region.envelope : \Region.modulationEnvelope
    region[keyPath: envelope][keyPath: place] = Float(isShare ? found / 100 : found)
    return .known
  }

  // MARK: - Values

  /// Makes the setter of an opcode whose value `parse` parses, or rejects with nil.
  private static func setter<Value>(
    _ store: @escaping @Sendable (inout Self, Value) -> Void,
    _ parse: @escaping @Sendable (_ value: String, _ keyOffset: Int) -> Value?
  ) -> Setter {
    { opcodes, value in
      guard let found = parse(value, opcodes.keyOffset) else { return false }
      store(&opcodes, found)
      return true
    }
  }

  private static func key(_ store: @escaping @Sendable (inout Self, Int) -> Void) -> Setter {
    setter(store) { key($0, offset: $1) }
  }

  /// Takes a key, or -1 for none.
  private static func keyOrNone(_ store: @escaping @Sendable (inout Self, Int) -> Void) -> Setter {
    setter(store) { $0 == "-1" ? -1 : key($0, offset: $1) }
  }

  private static func key(_ value: String, offset: Int) -> Int? {
    WrittenKey.key(value).flatMap { 0...127 ~= $0 + offset ? $0 + offset : nil }
  }

  private static func whole(
    _ range: ClosedRange<Int>, _ store: @escaping @Sendable (inout Self, Int) -> Void
  ) -> Setter {
    setter(store) { value, _ in
      // Some files contain 100.0.
      guard let number = Double(value), abs(number) < 1e15 else { return nil }
      return range.contains(Int(number)) ? Int(number) : nil
    }
  }

  private static func number(
    _ range: ClosedRange<Double>, _ store: @escaping @Sendable (inout Self, Double) -> Void
  ) -> Setter {
    setter(store) { value, _ in Double(value).flatMap { range.contains($0) ? $0 : nil } }
  }

  private static func float(
    _ range: ClosedRange<Double>, _ store: @escaping @Sendable (inout Self, Float) -> Void
  ) -> Setter {
    number(range) { store(&$0, Float($1)) }
  }

  private static func word<Value: Sendable>(
    _ words: [String: Value], _ store: @escaping @Sendable (inout Self, Value) -> Void
  ) -> Setter {
    setter(store) { value, _ in words[value] }
  }

  // MARK: - Result

  /// Returns the region for a sample of `frames` frames.
  ///
  /// The sample's own loop and the key in its name are the fallbacks.
  func region(
    sample: Int, frames: Int, loop ofSample: Range<Int>?, nameKey: Int?
  ) -> Region {
    var region = region
    region.sample = sample
    region.keys = max(0, low)...high
    region.velocities = lowVelocity...highVelocity
    region.chance = lowChance..<highChance
    if let switchLow, let switchHigh, switchLow <= switchHigh {
      region.switches.keys = switchLow...switchHigh
    }
    region.rootKey = (rootIsOfSample ? nameKey : rootKey) ?? 60
    region.tune += 100 * transpose
    if amplitude != 100 { region.gain += 20 * log10(max(amplitude, 1e-5) / 100) }
    region.envelope.delay += delay
    region.end = min(frames, end ?? frames)
    region.start = min(region.start, region.end - 1)
    let (start, after) = (
      loopStart ?? ofSample?.lowerBound ?? 0,
      min(region.end, loopEnd ?? ofSample?.upperBound ?? frames)
    )
    region.loopMode = loopMode ?? (ofSample == nil ? .none : .continuous)
    switch region.loopMode {
    case .none, .oneShot: break
    case .continuous, .untilRelease:
      if start < after, after > region.start {
        region.loop = start..<after
      } else {
        region.loopMode = .none
      }
    }
    if hasCutoff { region.filter = filter }
    region.modulators = modulators
    return region
  }

  private var modulators: [Modulator] {
    // The same controllers as in a SoundFont change volume, expression and pan.
    var result = Modulator.defaults.filter {
      [.control(7), .control(10), .control(11)].contains($0.source.controller)
    }
    if velocityTracking != 0 {
      let source = Modulator.Source(
        .velocity, curve: .concave, isReversed: velocityTracking > 0)
      result.append(
        Modulator(
          source: source, target: .attenuation, amount: 0.96 * abs(velocityTracking)))
    }
    if bend != 0 {
      let wheel = Modulator.Source(.pitchWheel, isBipolar: true)
      result.append(Modulator(source: wheel, target: .pitch, amount: bend))
    }
    return result
  }
}
