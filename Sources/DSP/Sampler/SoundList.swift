internal import CRealtime

/// The list of sounds to make for an instrument; regions that play a sound alike share it.
struct SoundList: Sendable {
  /// One sound to make.
  struct Kind: Sendable {
    let sound: Int
    let channels: Int
    let isCompact: Bool
    let end: Int
    let loop: Range<Int>?
    /// The highest playback speed, in samples per frame.
    fileprivate(set) var fastest: Float
  }

  private struct Key: Hashable {
    let sound: Int32, end: Int32, loopStart: Int32, loopEnd: Int32
  }

  // Headroom for bends, envelopes and tunings before aliasing starts, in cents. 16-bit recordings
  // have little energy up there, and another level would double their memory: bent up by a whole
  // tone, they may alias above 17.8 kHz.
  private static let spareCents: Float = 300
  // The lowest engine sample rate considered; a lower rate aliases more.
  private static let leastRate: Float = 44_100

  private let sounds: [SamplerSoundKind]
  private var kinds: [Kind] = []
  private var known: [Key: Int] = [:]
  private var placesOfSounds: [[Int]]

  /// Creates a plan and sets the sound indices of the regions.
  init(_ regions: inout [SamplerRegion], sounds: [SamplerSoundKind]) {
    self.sounds = sounds
    placesOfSounds = Array(repeating: [], count: sounds.count)
    for index in regions.indices { place(&regions[index]) }
  }

  /// The number of sounds to make.
  var count: Int { kinds.count }

  /// The sound at an index.
  subscript(place: Int) -> Kind { kinds[place] }

  /// Returns the indices of everything made from a source sound.
  func places(of sound: Int) -> [Int] {
    placesOfSounds.indices.contains(sound) ? placesOfSounds[sound] : []
  }

  /// The upper bound of the memory needed, in bytes.
  var bytes: Int {
    kinds.reduce(0) { sum, kind in
      sum
        + SoundMemory.bytes(
          channels: kind.channels, isCompact: kind.isCompact, end: kind.end, loop: kind.loop,
          fastest: kind.fastest)
    }
  }

  /// Returns the highest playback speed of a region, in samples per frame.
  private static func fastest(_ region: SamplerRegion, isCompact: Bool) -> Float {
    let key = region.fixedKey == SamplerRegion.noKey ? region.keys.high : region.fixedKey
    let low = region.fixedKey == SamplerRegion.noKey ? region.keys.low : region.fixedKey
    let tracking = region.keyTracking
    let cents =
      max((Float(key) - region.rootKey) * tracking, (Float(low) - region.rootKey) * tracking)
      + region.tune + max(0, region.modulationToPitch)
      + (isCompact ? 0 : spareCents)
    return region.rate / leastRate
      * rt_exp(max(-12_000, min(12_000, cents)) * (0.693_147_18 / 1200))
  }

  private mutating func place(_ region: inout SamplerRegion) {
    var hasLoop = region.loop.start < region.loop.end
    switch region.loopMode {
    case .continuous, .untilRelease: break
    case .none, .oneShot: hasLoop = false
    }
    // A looped release sample would never end.
    if case .release = region.trigger { hasLoop = false }
    region.looped = place(region, isLooped: hasLoop)
    region.plain = region.looped
    if hasLoop, case .untilRelease = region.loopMode {
      region.plain = place(region, isLooped: false)
    }
  }

  private mutating func place(_ region: SamplerRegion, isLooped: Bool) -> Int32 {
    let loop = isLooped ? region.loop : (0, 0)
    let end = isLooped ? loop.1 : region.end
    let key = Key(sound: region.sound, end: end, loopStart: loop.0, loopEnd: loop.1)
    let speed = Self.fastest(region, isCompact: sounds[Int(region.sound)].isCompact)
    if let place = known[key] {
      kinds[place].fastest = max(kinds[place].fastest, speed)
      return Int32(place)
    }
    let (place, sound) = (kinds.count, Int(region.sound))
    kinds.append(
      Kind(
        sound: sound, channels: sounds[sound].channels, isCompact: sounds[sound].isCompact,
        end: Int(end), loop: loop.1 > 0 ? Int(loop.0)..<Int(loop.1) : nil, fastest: speed))
    known[key] = place
    placesOfSounds[sound].append(place)
    return Int32(place)
  }
}
