internal import CRealtime

/// An instrument in the form the audio thread plays: regions and sounds in manually managed memory.
///
/// It is playable while its sounds are still loading: a region without its sound is replaced by
/// another one, and the miss is recorded. The control side creates it and keeps it alive until the
/// audio thread has released it.
package final class SamplerInstrument: @unchecked Sendable {
  /// The audio thread's view of the instrument.
  package let pointer: InstrumentPointer
  /// The upper bound of the sounds' memory, in bytes.
  package let mostBytes: Int
  private let buffers = Buffers()
  private let plan: SoundList
  private let understudies: Understudies
  // Each entry is written only by the thread that makes its sound.
  private let memories: UnsafeMutablePointer<SoundMemory?>

  /// Creates an instrument whose sounds will be made later.
  ///
  /// The start, end and loop of each region must lie within its sound.
  ///
  /// For percussion (`isPercussion`), no key substitutes for another.
  package init(
    regions: [SamplerRegion], modulators: [SamplerModulator], sounds: [SamplerSoundKind],
    isPercussion: Bool = false
  ) {
    var regions = regions
    plan = SoundList(&regions, sounds: sounds)
    mostBytes = plan.bytes
    understudies = Understudies(regions, isPercussion: isPercussion)
    memories = buffers.filled(with: nil, count: max(1, plan.count))
    pointer = InstrumentPointer(
      regions: buffers.copied(regions), count: regions.count,
      modulators: buffers.copied(modulators),
      sounds: buffers.room(for: max(1, plan.count)),
      attacks: KeyLists(regions, in: buffers) { $0.trigger != .release },
      releases: KeyLists(regions, in: buffers) { $0.trigger == .release },
      state: InstrumentState(regions, in: buffers), parts: understudies.parts)
  }

  /// Returns the upper bound of the memory that the regions' sounds need, in bytes.
  package static func bytes(regions: [SamplerRegion], sounds: [SamplerSoundKind]) -> Int {
    var regions = regions
    return SoundList(&regions, sounds: sounds).bytes
  }

  // MARK: - Sounds

  /// Returns the number of frames of a sound that are used; 0 if no region plays it.
  package func frames(of sound: Int) -> Int {
    plan.places(of: sound).reduce(0) { max($0, plan[$1].end) }
  }

  /// The sounds' current memory in bytes.
  ///
  /// Call only while no sound is being made.
  package var bytes: Int {
    (0..<plan.count).reduce(0) { $0 + (memories[$1]?.bytes ?? 0) }
  }

  /// Makes a sound from its channels.
  ///
  /// Call once per sound.
  ///
  /// Several threads may make one sound each, with a workshop of their own.
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

  /// Makes a finished sound available to the audio thread.
  ///
  /// One thread at a time.
  package func publish(_ sound: Int) { understudies.publish(sound) }

  /// Removes the substitutes of a sound that can't be loaded.
  ///
  /// One thread at a time.
  package func giveUp(_ sound: Int) { understudies.giveUp(sound) }

  /// Whether a note needed this sound while it was missing.
  package func isMissed(_ sound: Int) -> Bool { understudies.isMissed(sound) }
}

/// The format of a sound, known before it is loaded.
package struct SamplerSoundKind: Sendable {
  /// The number of channels; only the first two are played.
  package let channels: Int
  /// Whether 16 bits represent it fully.
  package let isCompact: Bool

  /// Creates a format.
  package init(channels: Int, isCompact: Bool) {
    self.channels = channels
    self.isCompact = isCompact
  }
}

/// The audio thread's view of an instrument.
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

/// The regions of each key, so that a note checks no others.
struct KeyLists: BitwiseCopyable {
  private let firsts: UnsafeMutablePointer<Int32>
  private let places: UnsafeMutablePointer<Int32>

  fileprivate init(
    _ regions: [SamplerRegion], in buffers: Buffers, where isMeant: (SamplerRegion) -> Bool
  ) {
    var (starts, lists) = ([Int32](), [Int32]())
    let meant = regions.indices.filter { isMeant(regions[$0]) }
    for key in 0..<128 {
      starts.append(Int32(lists.count))
      lists += meant.filter { regions[$0].keys.low <= key && key <= regions[$0].keys.high }
        .map { Int32($0) }
    }
    starts.append(Int32(lists.count))
    firsts = buffers.copied(starts)
    places = buffers.copied(lists)
  }

  /// Returns the indices of a key's regions.
  @_noLocks
  func regions(key: Int) -> (first: UnsafePointer<Int32>, count: Int) {
    let first = Int(firsts[key])
    return (UnsafePointer(places + first), Int(firsts[key &+ 1]) &- first)
  }
}

/// The play state of an instrument: round-robin counters and key switches.
///
/// Only the audio thread touches it.
struct InstrumentState: BitwiseCopyable {
  /// The round-robin counter of each region.
  let turns: UnsafeMutablePointer<UInt16>
  /// The last key pressed in each key switch range.
  let switches: UnsafeMutablePointer<UInt8>
  /// One representative region for each key switch range.
  let switched: UnsafeMutablePointer<Int32>
  /// The key switch range of each region, or -1.
  let placeOfSwitches: UnsafeMutablePointer<Int32>
  let switchCount: Int

  fileprivate init(_ regions: [SamplerRegion], in buffers: Buffers) {
    turns = buffers.filled(with: 0, count: regions.count)
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
    switches = buffers.copied(last)
    switched = buffers.copied(first)
    placeOfSwitches = buffers.copied(places)
    switchCount = first.count
  }
}
