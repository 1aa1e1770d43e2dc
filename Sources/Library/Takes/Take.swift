internal import Glibc
package import Posix

/// A take: the metadata of a recording.
package struct Take: Equatable, Sendable {
  /// The recorded source.
  package enum Source: String, CaseIterable, Sendable {
    case live, grid, mix, harmony
    /// The input, before the effects.
    case input = "in"
    /// The output.
    case output = "out"
    /// An imported file.
    case imported = "import"
  }

  /// The permanent ID: a lowercase UUID.
  package let id: String
  package var title: String
  /// The species in the recording.
  package var species = ""
  package var notes = ""
  /// A message left with the take.
  package var message = ""
  /// The start date.
  package var date: ZonedDate
  /// The recording location, or nil.
  package var place: Place?
  /// The length in frames.
  package var frames = 0
  /// The sample rate in Hz.
  package var rate: Int
  package var channels = 2
  /// The sample peak in dBFS, or nil if all samples are zero.
  package var peak: Double?
  /// The integrated loudness in LUFS, or nil if the take is too short or too quiet.
  package var loudness: Double?
  /// The preset in use, or empty.
  package var preset = ""
  package var source: Source
  /// The name of the image file in the takes folder, or empty.
  package var image = ""

  /// Creates a take.
  ///
  /// The default title is the time of day.
  package init(
    id: String = Take.newID(), title: String? = nil, date: ZonedDate = .now, rate: Int,
    source: Source = .live
  ) {
    self.id = id
    self.title = title ?? Self.title(for: date)
    self.date = date
    self.rate = rate
    self.source = source
  }

  /// The duration in seconds.
  package var seconds: Double { Double(frames) / Double(rate) }

  /// Returns a title for the time of day.
  package static func title(for date: ZonedDate) -> String {
    switch date.hour {
    case 5..<12: "Morning take"
    case 12..<17: "Afternoon take"
    case 17..<21: "Evening take"
    default: "Night take"
    }
  }

  // MARK: - ID

  /// Returns a new random UUID.
  package static func newID() -> String {
    var random = SystemRandomNumberGenerator()
    // Version 4, RFC variant.
    let high = (random.next() as UInt64) & 0xFFFF_FFFF_FFFF_0FFF | 0x4000
    let low = (random.next() as UInt64) & 0x3FFF_FFFF_FFFF_FFFF | 0x8000_0000_0000_0000
    return TakeKey(high: high, low: low).id
  }

  /// Whether a text is a lowercase UUID.
  package static func isID(_ text: some StringProtocol) -> Bool {
    text.utf8.count == 36 && isBeginning(ofID: text)
  }

  /// Whether a text is a prefix of a lowercase UUID.
  static func isBeginning(ofID text: some StringProtocol) -> Bool {
    var place = 0
    for byte in text.utf8 {
      switch place {
      case 8, 13, 18, 23: guard byte == UInt8(ascii: "-") else { return false }
      default: guard (48...57).contains(byte) || (97...102).contains(byte) else { return false }
      }
      place += 1
    }
    return place <= 36
  }
}

/// Changes to a take.
///
/// Nil leaves a field as it is.
package struct TakeChanges: Sendable {
  package var title: String?
  package var species: String?
  package var notes: String?
  package var message: String?
  /// The name of the image file in the takes folder, or empty for none.
  package var image: String?
  /// The location, for a recorder that learns it after the recording.
  package var place: Place?

  /// Creates a set of changes.
  package init(
    title: String? = nil, species: String? = nil, notes: String? = nil, message: String? = nil,
    image: String? = nil, place: Place? = nil
  ) {
    self.title = title
    self.species = species
    self.notes = notes
    self.message = message
    self.image = image
    self.place = place
  }
}
