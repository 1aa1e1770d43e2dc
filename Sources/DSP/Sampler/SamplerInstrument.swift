internal import CRealtime

/// An instrument as the audio thread plays it: regions and sounds in memory of their own.
///
/// It can be played while its sounds are still made: a region without its sound is played by another
/// one, and is noted as missed. The control side makes it and keeps it alive until the audio thread
/// has let it go.
package final class SamplerInstrument: @unchecked Sendable {
  /// The pointer that the audio thread is given.
  package let pointer: InstrumentPointer
  /// The most bytes that its sounds need.
  package let mostBytes: Int
  private let plan: SoundPlan
  private let understudies: Understudies
  // Each place is written by the one thread that makes its sound.
  private let memories: UnsafeMutablePointer<SoundMemory?>

  /// An instrument that has nothing to play.
  package convenience init() { self.init(regions: [], modulators: [], sounds: []) }

  /// An instrument of regions, their modulators, and the channels of each of their sounds.
  ///
  /// Each region's sound, start, end and loop must be there.
  package convenience init(
    regions: [SamplerRegion], modulators: [SamplerModulator], sounds: [[[Float]]]
  ) {
    self.init(
      regions: regions, modulators: modulators,
      sounds: sounds.map { SamplerSoundKind(channels: $0.count, isCompact: false) })
    let workshop = SoundWorkshop()
    for (index, channels) in sounds.enumerated() { make(index, of: channels, in: workshop) }
    for index in sounds.indices { publish(index) }
  }

  /// An instrument of regions and their modulators whose sounds are yet to be made.
  ///
  /// Where `isPercussion`, no key stands in for another one.
  package init(
    regions: [SamplerRegion], modulators: [SamplerModulator], sounds: [SamplerSoundKind],
    isPercussion: Bool = false
  ) {
    var regions = regions
    plan = SoundPlan(&regions, sounds: sounds)
    mostBytes = plan.bytes
    understudies = Understudies(regions, isPercussion: isPercussion)
    memories = .allocate(capacity: max(1, plan.count))
    memories.initialize(repeating: nil, count: max(1, plan.count))
    pointer = InstrumentPointer(
      regions: Self.copied(regions), count: regions.count,
      modulators: Self.copied(modulators), sounds: .allocate(capacity: max(1, plan.count)),
      attacks: KeyLists(regions) { if case .release = $0.trigger { false } else { true } },
      releases: KeyLists(regions) { if case .release = $0.trigger { true } else { false } },
      state: InstrumentState(regions), parts: understudies.parts)
  }

  /// The most memory that the sounds of regions would need, in bytes.
  package static func bytes(regions: [SamplerRegion], sounds: [SamplerSoundKind]) -> Int {
    var regions = regions
    return SoundPlan(&regions, sounds: sounds).bytes
  }

  deinit {
    memories.deinitialize(count: max(1, plan.count))
    memories.deallocate()
    pointer.regions.deallocate()
    pointer.modulators.deallocate()
    pointer.sounds.deallocate()
    pointer.attacks.deallocate()
    pointer.releases.deallocate()
    pointer.state.deallocate()
  }

  // MARK: - Making its sounds

  /// How many frames of a sound are played; 0 where nothing plays it.
  package func frames(of sound: Int) -> Int {
    plan.places(of: sound).reduce(0) { max($0, plan[$1].end) }
  }

  /// How much memory its sounds need now, in bytes; only while none is made.
  package var bytes: Int {
    (0..<plan.count).reduce(0) { $0 + (memories[$1]?.bytes ?? 0) }
  }

  /// Makes a sound of its channels, which is done once.
  ///
  /// Several threads can make one each, in a workshop of their own.
  package func make(_ sound: Int, of channels: [[Float]], in workshop: SoundWorkshop) {
    for place in plan.places(of: sound) {
      let kind = plan[place]
      let memory = SoundMemory(
        channels, isCompact: kind.isCompact, end: kind.end, loop: kind.loop,
        fastest: kind.fastest, with: workshop)
      memories[place] = memory
      (pointer.sounds + place).initialize(to: memory.sound)
    }
  }

  /// Lets the audio thread play a sound that is made; one thread at a time.
  package func publish(_ sound: Int) { understudies.publish(sound) }

  /// Lets nothing stand in any more for a sound that can't be had; one thread at a time.
  package func giveUp(_ sound: Int) { understudies.giveUp(sound) }

  /// Whether a note wanted a sound, and had another one.
  package func isMissed(_ sound: Int) -> Bool { understudies.isMissed(sound) }

  fileprivate static func copied<Element: BitwiseCopyable>(
    _ elements: [Element]
  ) -> UnsafeMutablePointer<Element> {
    let memory = UnsafeMutablePointer<Element>.allocate(capacity: max(1, elements.count))
    for (index, element) in elements.enumerated() { (memory + index).initialize(to: element) }
    return memory
  }
}

/// The kind of a sound, known before it is there.
package struct SamplerSoundKind: Sendable {
  /// The number of its channels, of which two at most are played.
  package let channels: Int
  /// Whether 16 bits are all that it has to say.
  package let isCompact: Bool

  /// A kind of sound.
  package init(channels: Int, isCompact: Bool) {
    self.channels = channels
    self.isCompact = isCompact
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
  let parts: RegionParts
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
