internal import DSP

/// The loading of an instrument's sounds.
extension Instrument {
  // The limit for a machine with little memory, for the source samples and for the playable sounds
  // each.
  private static let mostBytes = 1 << 30
  // The most played key and velocity.
  private static let middle = (key: 60, velocity: 100)

  /// Throws if the source samples or the playable sounds exceed the memory limit.
  package func checkSize(needing bytes: Int) throws(InstrumentFault) {
    let all = Set(regions.map(\.sample)).reduce(0) {
      $0 + MemoryLayout<Float>.stride * samples[$1].channels * samples[$1].frames
    }
    guard all <= Self.mostBytes else {
      throw InstrumentFault(
        .tooLarge,
        "\(name) has \(all >> 20) MB of sound; the limit is \(Self.mostBytes >> 20) MB")
    }
    guard bytes <= Self.mostBytes else {
      throw InstrumentFault(
        .tooLarge,
        "\(name) would need \(bytes >> 20) MB of memory on all of its keys; "
          + "the limit is \(Self.mostBytes >> 20) MB; shorter samples, or keys nearer to their own, "
          + "need less")
    }
  }

  /// The indices of the samples in use, in loading order: from the middle of the keyboard outward,
  /// medium velocities first.
  package var readingOrder: [Int] {
    func away(_ number: Int, from range: ClosedRange<Int>) -> Int {
      max(0, range.lowerBound - number, number - range.upperBound)
    }
    var distances: [Int: (isOtherLayer: Bool, keys: Int, velocities: Int)] = [:]
    for region in regions {
      let velocities = away(Self.middle.velocity, from: region.velocities)
      let distance = (
        region.trigger == .release || velocities > 0, away(Self.middle.key, from: region.keys),
        velocities
      )
      if let known = distances[region.sample] {
        distances[region.sample] = Self.isNearer(known, distance) ? known : distance
      } else {
        distances[region.sample] = distance
      }
    }
    // Both channels of a pair have the same distance and stay adjacent.
    return distances.sorted {
      Self.isNearer($0.value, $1.value)
        || !Self.isNearer($1.value, $0.value) && $0.key < $1.key
    }.map(\.key)
  }

  private static func isNearer(_ a: (Bool, Int, Int), _ b: (Bool, Int, Int)) -> Bool {
    (a.0 ? 1 : 0, a.1, a.2) < (b.0 ? 1 : 0, b.1, b.2)
  }

  /// Remarks for the player, one line each.
  package var notes: [String] { notes(adding: []) }

  /// Returns the remarks, including faults found while loading.
  package func notes(adding more: [String]) -> [String] {
    let most = 20
    let faults = faults + more
    var lines = Array(faults.prefix(most))
    if faults.count > most { lines.append("and \(faults.count - most) more of the kind") }
    if !unknown.isEmpty {
      let more = unknown.count > 30 ? " and \(unknown.count - 30) more" : ""
      lines.append(
        "ignored as unknown: \(unknown.prefix(30).joined(separator: ", "))\(more)")
    }
    return lines
  }
}
