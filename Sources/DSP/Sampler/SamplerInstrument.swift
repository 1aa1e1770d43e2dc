internal import CRealtime

/// An instrument as the audio thread plays it: regions and sounds in memory of their own.
///
/// The control side makes it and keeps it alive until the audio thread has let it go.
package final class SamplerInstrument: @unchecked Sendable {
  /// The pointer that the audio thread is given.
  package let pointer: InstrumentPointer
  /// How many bytes its sounds need.
  package let bytes: Int
  private let sounds: [SoundMemory]

  /// An instrument that has nothing to play.
  package convenience init() { self.init(regions: [], modulators: [], sounds: []) }

  /// An instrument of regions, their modulators, and the channels of each of their sounds.
  ///
  /// Each region's sound, start, end and loop must be there.
  package init(regions: [SamplerRegion], modulators: [SamplerModulator], sounds: [[[Float]]]) {
    var regions = regions
    var made = SoundShelf(sounds: sounds)
    for index in regions.indices { made.place(&regions[index]) }
    self.sounds = made.memories()
    bytes = self.sounds.reduce(0) { $0 + $1.bytes }
    pointer = InstrumentPointer(
      regions: Self.copied(regions), count: regions.count,
      modulators: Self.copied(modulators), sounds: Self.copied(self.sounds.map(\.sound)),
      attacks: KeyLists(regions) { if case .release = $0.trigger { false } else { true } },
      releases: KeyLists(regions) { if case .release = $0.trigger { true } else { false } },
      state: InstrumentState(regions))
  }

  /// The memory that the sounds of regions would need, in bytes; `channels` has the number of those
  /// of each sound.
  package static func bytes(regions: [SamplerRegion], channels: [Int]) -> Int {
    var regions = regions
    var made = SoundShelf(sounds: [])
    for index in regions.indices { made.place(&regions[index]) }
    return made.bytes(channels: channels)
  }

  deinit {
    pointer.regions.deallocate()
    pointer.modulators.deallocate()
    pointer.sounds.deallocate()
    pointer.attacks.deallocate()
    pointer.releases.deallocate()
    pointer.state.deallocate()
  }

  fileprivate static func copied<Element: BitwiseCopyable>(
    _ elements: [Element]
  ) -> UnsafeMutablePointer<Element> {
    let memory = UnsafeMutablePointer<Element>.allocate(capacity: max(1, elements.count))
    for (index, element) in elements.enumerated() { (memory + index).initialize(to: element) }
    return memory
  }
}

/// A pointer to an instrument, as the audio thread is given it.
package struct InstrumentPointer: BitwiseCopyable, @unchecked Sendable {
  let regions: UnsafeMutablePointer<SamplerRegion>
  let count: Int
  let modulators: UnsafeMutablePointer<SamplerModulator>
  let sounds: UnsafeMutablePointer<SamplerSound>
  let attacks: KeyLists
  let releases: KeyLists
  let state: InstrumentState
}

/// The regions of each key, so that a note needn't try the others.
struct KeyLists: BitwiseCopyable {
  private let firsts: UnsafeMutablePointer<Int32>
  private let places: UnsafeMutablePointer<Int32>

  fileprivate init(_ regions: [SamplerRegion], where isMeant: (SamplerRegion) -> Bool) {
    var (starts, lists) = ([Int32](), [Int32]())
    let meant = regions.indices.filter { isMeant(regions[$0]) }
    for key in 0..<128 {
      starts.append(Int32(lists.count))
      lists += meant.filter { regions[$0].keys.low <= key && key <= regions[$0].keys.high }
        .map { Int32($0) }
    }
    starts.append(Int32(lists.count))
    firsts = SamplerInstrument.copied(starts)
    places = SamplerInstrument.copied(lists)
  }

  fileprivate func deallocate() {
    firsts.deallocate()
    places.deallocate()
  }

  /// The places of a key's regions.
  @_noLocks
  func regions(key: Int) -> (first: UnsafePointer<Int32>, count: Int) {
    let first = Int(firsts[key])
    return (UnsafePointer(places + first), Int(firsts[key &+ 1]) &- first)
  }
}

/// The memory of an instrument of the notes so far: whose turn it is, and what was switched.
///
/// The audio thread's alone.
struct InstrumentState: BitwiseCopyable {
  /// How often each region could have had its turn.
  let turns: UnsafeMutablePointer<UInt16>
  /// The last key of each region's switches.
  let switches: UnsafeMutablePointer<UInt8>
  /// The regions of which each stands for all that have the same switches.
  let switched: UnsafeMutablePointer<Int32>
  /// For each region the place of its switches.
  let placeOfSwitches: UnsafeMutablePointer<Int32>
  let switchCount: Int

  fileprivate init(_ regions: [SamplerRegion]) {
    turns = SamplerInstrument.copied(regions.map { _ in 0 })
    var ranges: [(low: UInt8, high: UInt8)] = []
    var (first, last, places) = ([Int32](), [UInt8](), [Int32]())
    for (index, region) in regions.enumerated() {
      guard region.switchKeys.low != SamplerRegion.noKey else {
        places.append(-1)
        continue
      }
      var place = ranges.firstIndex { $0 == region.switchKeys }
      if place == nil {
        place = ranges.count
        ranges.append(region.switchKeys)
        first.append(Int32(index))
        last.append(SamplerRegion.noKey)
      }
      if last[place!] == SamplerRegion.noKey { last[place!] = region.switchInitial }
      places.append(Int32(place!))
    }
    switches = SamplerInstrument.copied(last)
    switched = SamplerInstrument.copied(first)
    placeOfSwitches = SamplerInstrument.copied(places)
    switchCount = first.count
  }

  fileprivate func deallocate() {
    turns.deallocate()
    switches.deallocate()
    switched.deallocate()
    placeOfSwitches.deallocate()
  }
}

/// Makes each sound once for all regions that play it alike.
private struct SoundShelf {
  private struct Kind: Hashable {
    let sound: Int32, end: Int32, loopStart: Int32, loopEnd: Int32

    var loop: Range<Int>? { loopEnd > 0 ? Int(loopStart)..<Int(loopEnd) : nil }
  }
  // What a bend, an envelope or a tuning may add before something folds back, in cents.
  private static let spareCents: Float = 300
  // The lowest rate that sounds are made for: the lower, the more folds back.
  private static let leastRate: Float = 44_100

  let sounds: [[[Float]]]
  private var kinds: [Kind] = []
  private var fastest: [Float] = []
  private var places: [Kind: Int32] = [:]

  init(sounds: [[[Float]]]) { self.sounds = sounds }

  /// The sounds, in the order of their places.
  func memories() -> [SoundMemory] {
    kinds.indices.map { index in
      let kind = kinds[index]
      return SoundMemory(
        sounds[Int(kind.sound)], end: Int(kind.end), loop: kind.loop, fastest: fastest[index])
    }
  }

  /// The memory that they would need, in bytes.
  func bytes(channels: [Int]) -> Int {
    kinds.indices.reduce(0) { sum, index in
      let kind = kinds[index]
      return sum
        + SoundMemory.bytes(
          channels: channels[Int(kind.sound)], end: Int(kind.end), loop: kind.loop,
          fastest: fastest[index])
    }
  }

  /// Tells how fast a region may be read, in samples a frame.
  private static func fastest(_ region: SamplerRegion) -> Float {
    let key = region.fixedKey == SamplerRegion.noKey ? region.keys.high : region.fixedKey
    let low = region.fixedKey == SamplerRegion.noKey ? region.keys.low : region.fixedKey
    let tracking = region.keyTracking
    let cents =
      max((Float(key) - region.rootKey) * tracking, (Float(low) - region.rootKey) * tracking)
      + region.tune + max(0, region.modulationToPitch) + spareCents
    return region.rate / leastRate
      * rt_exp(max(-12_000, min(12_000, cents)) * (0.693_147_18 / 1200))
  }

  mutating func place(_ region: inout SamplerRegion) {
    var hasLoop = region.loop.start < region.loop.end
    switch region.loopMode {
    case .continuous, .untilRelease: break
    case .none, .oneShot: hasLoop = false
    }
    // What sounds at the end of a note would never end.
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
    let kind = Kind(sound: region.sound, end: end, loopStart: loop.0, loopEnd: loop.1)
    let speed = Self.fastest(region)
    if let place = places[kind] {
      fastest[Int(place)] = max(fastest[Int(place)], speed)
      return place
    }
    let place = Int32(kinds.count)
    kinds.append(kind)
    fastest.append(speed)
    places[kind] = place
    return place
  }
}
