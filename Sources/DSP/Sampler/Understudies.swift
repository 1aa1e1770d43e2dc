internal import Synchronization

/// The region that actually plays for each region of an instrument, as seen by the audio thread.
struct RegionParts: BitwiseCopyable, @unchecked Sendable {
  /// No region.
  static var nobody: Int32 { @_noLocks get { -1 } }

  fileprivate let players: UnsafeMutablePointer<Atomic<Int32>>
  fileprivate let misses: UnsafeMutablePointer<Atomic<Bool>>

  /// Returns the region to play for `region`: itself if its sound is loaded, a substitute, or a
  /// negative value.
  ///
  /// A substitution is recorded as a miss.
  @_noLocks
  func player(of region: Int) -> Int {
    // Acquiring: pairs with `publish`, which follows the making of the sound.
    let player = Int(players[region].load(ordering: .acquiring))
    if player != region { misses[region].store(true, ordering: .relaxed) }
    return player
  }
}

/// Chooses substitutes for regions whose sounds aren't loaded: those with the nearest keys and
/// velocities.
final class Understudies: @unchecked Sendable {
  // One key counts as many velocities; a different pan side counts more than any key.
  private static let velocitiesOfKey = 8
  private static let farthest = 1 << 20
  // The search is quadratic, so larger instruments get no substitutes.
  private static let mostRegions = 4096

  /// The part of the keyboard that a region covers.
  private struct Reach {
    let keys: (low: UInt8, high: UInt8), velocities: (low: UInt8, high: UInt8)
    let trigger: SamplerRegion.Trigger
    /// -1 for left, 0 for center, 1 for right.
    let side: Int8

    init(_ region: SamplerRegion) {
      keys = region.keys
      velocities = region.velocities
      trigger = region.trigger
      side = region.pan < 0 ? -1 : region.pan > 0 ? 1 : 0
    }
  }

  private let buffers = Buffers()
  let parts: RegionParts
  private let reaches: [Reach]
  private let isPercussion: Bool
  private var regionsOfSounds: [Int32: [Int]] = [:]
  // The distance of each region's substitute; 0 for itself, negative if given up.
  private var distances: [Int]

  init(_ regions: [SamplerRegion], isPercussion: Bool) {
    reaches = regions.map(Reach.init)
    self.isPercussion = isPercussion
    for (index, region) in regions.enumerated() {
      regionsOfSounds[region.sound, default: []].append(index)
    }
    distances = Array(repeating: .max, count: regions.count)
    let count = max(1, regions.count)
    parts = RegionParts(
      players: buffers.made(count: count) { _ in Atomic(RegionParts.nobody) },
      misses: buffers.made(count: count) { _ in Atomic(false) })
  }

  func publish(_ sound: Int) {
    for index in regionsOfSounds[Int32(sound)] ?? [] {
      let others = reaches.count <= Self.mostRegions ? 0..<reaches.count : index..<index + 1
      for other in others where distances[other] > 0 {
        let distance = other == index ? 0 : distance(reaches[other], reaches[index])
        guard distance < distances[other] else { continue }
        distances[other] = distance
        // Releasing: publishes the sound that was made before.
        parts.players[other].store(Int32(index), ordering: .releasing)
      }
    }
  }

  func giveUp(_ sound: Int) {
    for index in regionsOfSounds[Int32(sound)] ?? [] {
      distances[index] = -1
      parts.players[index].store(RegionParts.nobody, ordering: .relaxed)
    }
  }

  func isMissed(_ sound: Int) -> Bool {
    (regionsOfSounds[Int32(sound)] ?? []).contains {
      parts.misses[$0].load(ordering: .relaxed)
    }
  }

  /// Returns the distance of a substitute: 1 at best, `Int.max` if it can't substitute.
  private func distance(_ region: Reach, _ other: Reach) -> Int {
    guard region.trigger == other.trigger else { return .max }
    let keys = Self.gap(region.keys, other.keys)
    if isPercussion, keys > 0 { return .max }
    let velocities = Self.gap(region.velocities, other.velocities)
    return 1 + keys * Self.velocitiesOfKey + velocities
      + (region.side == other.side ? 0 : Self.farthest)
  }

  private static func gap(_ a: (low: UInt8, high: UInt8), _ b: (low: UInt8, high: UInt8)) -> Int {
    max(0, Int(a.low) - Int(b.high), Int(b.low) - Int(a.high))
  }
}
