/// The available scales: built-in and user-defined.
package struct ScaleBook: Sendable {
  /// The maximum number of user-defined scales.
  package static let mostOwn = 100
  private static let longestName = 40

  /// The user-defined scales, in the order they were added.
  package private(set) var own: [Scale] = []

  // Keyed by name without case and separators.
  private static let shipped: [String: Scale] = {
    var scales: [String: Scale] = [:]
    for shipped in Scale.shipped {
      for name in [shipped.scale.name] + shipped.aliases { scales[key(name)] = shipped.scale }
    }
    return scales
  }()

  // Finds the name that was most likely meant.
  private let nearest: @Sendable (_ name: String, _ names: [String]) -> String?

  /// Creates a book of the built-in scales.
  ///
  /// `nearest` finds the name that was most likely meant, for refusals.
  package init(
    nearest: @escaping @Sendable (_ name: String, _ names: [String]) -> String? = { _, _ in nil }
  ) {
    self.nearest = nearest
  }

  /// The names of all scales, built-in ones first.
  package var names: [String] { Scale.shipped.map(\.scale.name) + own.map(\.name) }

  /// Returns the scale with a name or alias, ignoring case, `-`, `_` and spaces.
  package func scale(named name: String) throws(MusicFault) -> Scale {
    let key = Self.key(name)
    if let scale = Self.shipped[key] ?? own.first(where: { Self.key($0.name) == key }) {
      return scale
    }
    throw missing(name)
  }

  /// Adds a scale, replacing the user-defined one of that name.
  package mutating func add(_ scale: Scale) throws(MusicFault) {
    let name = scale.name
    let isPlain = name.unicodeScalars.allSatisfy {
      $0.properties.isAlphabetic || "0"..."9" ~= $0 || $0 == "-" || $0 == "_"
    }
    guard isPlain, 1...Self.longestName ~= name.utf8.count, !Self.key(name).isEmpty else {
      throw MusicFault(
        .range,
        "expected a scale name of 1 to \(Self.longestName) bytes of letters, digits, - and _; "
          + "got \(MusicFault.quoted(name))")
    }
    let key = Self.key(name)
    if let shipped = Self.shipped[key] {
      throw MusicFault(
        .state,
        "\(MusicFault.quoted(name)) is a built-in scale "
          + "(\(shipped.name)); choose another name")
    }
    if let index = own.firstIndex(where: { Self.key($0.name) == key }) {
      own[index] = scale
    } else {
      guard own.count < Self.mostOwn else {
        throw MusicFault(.state, "\(Self.mostOwn) user scales already exist; delete one")
      }
      own.append(scale)
    }
  }

  /// Deletes a user-defined scale.
  package mutating func delete(_ name: String) throws(MusicFault) {
    let key = Self.key(name)
    guard let index = own.firstIndex(where: { Self.key($0.name) == key }) else {
      guard Self.shipped[key] == nil else {
        throw MusicFault(
          .state,
          "\(MusicFault.quoted(name)) is built in; "
            + "only user scales can be deleted")
      }
      throw missing(name)
    }
    own.remove(at: index)
  }

  private func missing(_ name: String) -> MusicFault {
    MusicFault(
      .missing,
      "unknown scale \(MusicFault.quoted(name)); "
        + (nearest(name, names).map { "did you mean \($0)?" } ?? "/scales lists all"))
  }

  private static func key(_ name: String) -> String {
    name.lowercased().filter { $0 != "-" && $0 != "_" && $0 != " " }
  }
}
