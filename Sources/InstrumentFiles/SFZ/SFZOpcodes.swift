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

  private static let groups = 0...Int(Int32.max)

  /// Whether the region can be triggered at all.
  var isPlayed: Bool {
    max(0, low) <= high && lowVelocity <= highVelocity && lowChance < highChance && end != 0
  }

  /// Applies an opcode.
  mutating func set(_ name: String, _ value: String) -> Result {
    var result = setWhen(name, value)
    if case .unknown = result { result = setSwitch(name, value) }
    if case .unknown = result { result = setSample(name, value) }
    if case .unknown = result { result = setSound(name, value) }
    if case .unknown = result { result = setFilter(name, value) }
    if case .unknown = result { result = setEnvelope(name, value) }
    return result
  }

  // MARK: - Opcodes

  private mutating func setWhen(_ name: String, _ value: String) -> Result {
    switch name {
    case "key":
      guard let key = key(value) else { return .wrong }
      (low, high, rootKey) = (key, key, key)
      return .known
    case "lokey": return take(keyOrNone(value)) { $0.low = $1 }
    case "hikey": return take(keyOrNone(value)) { $0.high = $1 }
    case "lovel": return take(whole(value, 0...127)) { $0.lowVelocity = $1 }
    case "hivel": return take(whole(value, 0...127)) { $0.highVelocity = $1 }
    case "lorand": return take(number(value, 0...1)) { $0.lowChance = $1 }
    case "hirand": return take(number(value, 0...1)) { $0.highChance = $1 }
    case "seq_length": return take(whole(value, 1...1000)) { $0.region.turn.length = $1 }
    case "seq_position": return take(whole(value, 1...1000)) { $0.region.turn.position = $1 }
    case "group": return take(whole(value, Self.groups)) { $0.region.group = $1 }
    case "off_by", "offby": return take(whole(value, Self.groups)) { $0.region.offBy = $1 }
    case "trigger":
      let triggers: [String: SamplerRegion.Trigger] = [
        "attack": .attack, "release": .release, "release_key": .release, "first": .first,
        "legato": .legato,
      ]
      return take(triggers[value]) { $0.region.trigger = $1 }
    default: return .unknown
    }
  }

  private mutating func setSwitch(_ name: String, _ value: String) -> Result {
    switch name {
    case "sw_lokey": take(key(value)) { $0.switchLow = $1 }
    case "sw_hikey": take(key(value)) { $0.switchHigh = $1 }
    case "sw_last": take(key(value)) { $0.region.switches.last = $1 }
    case "sw_default": take(key(value)) { $0.region.switches.initial = $1 }
    case "sw_down": take(key(value)) { $0.region.switches.down = $1 }
    case "sw_up": take(key(value)) { $0.region.switches.up = $1 }
    case "sw_previous": take(key(value)) { $0.region.switches.previous = $1 }
    default: .unknown
    }
  }

  private mutating func setSample(_ name: String, _ value: String) -> Result {
    let frames = 0...InstrumentSample.mostFrames
    switch name {
    case "offset": return take(whole(value, frames)) { $0.region.start = $1 }
    // The index of the last frame. -1 disables the region.
    case "end": return take(whole(value, -1...frames.upperBound)) { $0.end = $1 + 1 }
    case "loop_start", "loopstart": return take(whole(value, frames)) { $0.loopStart = $1 }
    // The file contains the last frame of the loop, inclusive.
    case "loop_end", "loopend": return take(whole(value, frames)) { $0.loopEnd = $1 + 1 }
    case "loop_mode", "loopmode":
      let modes: [String: SamplerRegion.LoopMode] = [
        "no_loop": .none, "one_shot": .oneShot, "loop_continuous": .continuous,
        "loop_sustain": .untilRelease,
      ]
      return take(modes[value]) { $0.loopMode = $1 }
    case "pitch_keycenter":
      rootIsOfSample = value == "sample"
      return rootIsOfSample ? .known : take(key(value)) { $0.rootKey = $1 }
    default: return .unknown
    }
  }

  private mutating func setSound(_ name: String, _ value: String) -> Result {
    switch name {
    case "tune", "pitch": take(number(value, -9600...9600)) { $0.region.tune = $1 }
    case "transpose": take(number(value, -127...127)) { $0.transpose = $1 }
    case "pitch_keytrack": take(number(value, -1200...1200)) { $0.region.keyTracking = $1 }
    case "volume", "gain": take(number(value, -144...48)) { $0.region.gain = $1 }
    case "amplitude": take(number(value, 0...1000)) { $0.amplitude = $1 }
    case "amp_veltrack": take(number(value, -100...100)) { $0.velocityTracking = $1 }
    case "pan": take(number(value, -100...100)) { $0.region.pan = $1 / 100 }
    case "effect1": take(number(value, 0...100)) { $0.region.reverb = $1 / 100 }
    case "effect2": take(number(value, 0...100)) { $0.region.chorus = $1 / 100 }
    case "bend_up", "bendup": take(number(value, -9600...9600)) { $0.bend = $1 }
    case "amplfo_delay": take(number(value, 0...100)) { $0.region.tremolo.delay = $1 }
    case "amplfo_freq": take(number(value, 0...100)) { $0.region.tremolo.frequency = $1 }
    case "amplfo_depth": take(number(value, -24...24)) { $0.region.tremolo.toGain = $1 }
    case "pitchlfo_delay": take(number(value, 0...100)) { $0.region.vibrato.delay = $1 }
    case "pitchlfo_freq": take(number(value, 0...100)) { $0.region.vibrato.frequency = $1 }
    case "pitchlfo_depth": take(number(value, -1200...1200)) { $0.region.vibrato.toPitch = $1 }
    default: .unknown
    }
  }

  private mutating func setFilter(_ name: String, _ value: String) -> Result {
    switch name {
    case "fil_type", "filtype":
      let kinds: [String: SamplerRegion.Filter.Kind] = [
        "lpf_1p": .lowpass1, "lpf_2p": .lowpass2, "hpf_1p": .highpass1, "hpf_2p": .highpass2,
        "bpf_2p": .bandpass, "brf_2p": .bandreject,
      ]
      return take(kinds[value]) { $0.filter.kind = $1 }
    case "cutoff":
      let result = take(number(value, 0...100_000)) { $0.filter.cutoff = $1 }
      if case .known = result { hasCutoff = true }
      return result
    case "resonance": return take(number(value, 0...96)) { $0.filter.resonance = $1 }
    case "fil_keytrack": return take(number(value, 0...1200)) { $0.filter.perKey = $1 }
    case "fil_veltrack": return take(number(value, -9600...9600)) { $0.filter.byVelocity = $1 }
    case "fileg_depth":
      return take(number(value, -12_000...12_000)) { $0.region.modulationToFilter = $1 }
    default: return .unknown
    }
  }

  private mutating func setEnvelope(_ name: String, _ value: String) -> Result {
    if name.hasPrefix("ampeg_") { return set(name.dropFirst(6), of: \.envelope, value) }
    if name.hasPrefix("fileg_") { return set(name.dropFirst(6), of: \.modulationEnvelope, value) }
    if name == "delay" { return take(number(value, 0...100)) { $0.delay = $1 } }
    return .unknown
  }

  private mutating func set(
    _ name: Substring, of envelope: WritableKeyPath<Region, SamplerRegion.Envelope>,
    _ value: String
  ) -> Result {
    let isPart = name == "sustain" || name == "start" || name == "vel2sustain"
    let range = name.hasPrefix("vel2") ? -100.0...100 : 0...100
    let place: WritableKeyPath<SamplerRegion.Envelope, Float>
    switch name {
    case "delay": place = \.delay
    case "start": place = \.start
    case "attack": place = \.attack
    case "hold": place = \.hold
    case "decay": place = \.decay
    case "sustain": place = \.sustain
    case "release": place = \.release
    case "vel2attack": place = \.attackByVelocity
    case "vel2decay": place = \.decayByVelocity
    case "vel2sustain": place = \.sustainByVelocity
    case "vel2release": place = \.releaseByVelocity
    default: return .unknown
    }
    guard let found: Double = number(value, range) else { return .wrong }
    region[keyPath: envelope][keyPath: place] = Float(isPart ? found / 100 : found)
    return .known
  }

  private mutating func take<Value>(
    _ value: Value?, _ store: (inout SFZOpcodes, Value) -> Void
  ) -> Result {
    guard let value else { return .wrong }
    store(&self, value)
    return .known
  }

  // MARK: - Values

  private func key(_ value: String) -> Int? {
    WrittenKey.key(value).flatMap { (0...127).contains($0 + keyOffset) ? $0 + keyOffset : nil }
  }

  /// A key, or -1 for none.
  private func keyOrNone(_ value: String) -> Int? { value == "-1" ? -1 : key(value) }

  private func whole(_ value: String, _ range: ClosedRange<Int>) -> Int? {
    // Some files contain 100.0.
    guard let number = Double(value), abs(number) < 1e15 else { return nil }
    return range.contains(Int(number)) ? Int(number) : nil
  }

  private func number<Value: BinaryFloatingPoint>(
    _ value: String, _ range: ClosedRange<Double>
  ) -> Value? {
    Double(value).flatMap { range.contains($0) ? Value($0) : nil }
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
    var result = Modulator.defaults(.usual).filter {
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
