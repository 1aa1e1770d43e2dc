internal import Glibc
package import Posix

/// All that is known of a recording, but the sound.
package struct Take: Equatable, Sendable {
  /// The source that was recorded.
  package enum Source: String, CaseIterable, Sendable {
    case live, grid, mix
    /// The input, before the effects.
    case input = "in"
    /// The output.
    case output = "out"
    /// A file from elsewhere.
    case imported = "import"
  }

  /// The identifier for ever: a UUID in small letters.
  package let id: String
  /// The title.
  package var title: String
  /// The species that is heard.
  package var species = ""
  /// Notes.
  package var notes = ""
  /// A message that was left with it.
  package var message = ""
  /// The date at which it was begun.
  package var date: ZonedDate
  /// The place where it was recorded, if that is known.
  package var place: Place?
  /// The length in frames.
  package var frames = 0
  /// The sample rate, in Hz.
  package var rate: Int
  /// The number of channels.
  package var channels = 2
  /// The highest sample, in dB of full scale; nil where all are zero.
  package var peak: Double?
  /// The loudness of the whole, in LUFS; nil where it is too short or too quiet to tell.
  package var loudness: Double?
  /// The preset that was in use, if any.
  package var preset = ""
  /// The source that was recorded.
  package var source: Source
  /// The name of its image's file in the folder of takes; empty where there is none.
  package var image = ""

  /// A take of which little is known yet, with a title after the time of day.
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

  /// The seconds that it lasts.
  package var seconds: Double { Double(frames) / Double(rate) }

  /// A title after the time of day.
  package static func title(for date: ZonedDate) -> String {
    switch date.hour {
    case 5..<12: "Morning take"
    case 12..<17: "Afternoon take"
    case 17..<21: "Evening take"
    default: "Night take"
    }
  }

  // MARK: - What it is known by

  /// A UUID that nothing else has.
  package static func newID() -> String {
    var random = SystemRandomNumberGenerator()
    // Version 4, of the usual variant.
    let high = (random.next() as UInt64) & 0xFFFF_FFFF_FFFF_0FFF | 0x4000
    let low = (random.next() as UInt64) & 0x3FFF_FFFF_FFFF_FFFF | 0x8000_0000_0000_0000
    return TakeKey(high: high, low: low).id
  }

  /// Whether a text is a UUID in small letters.
  package static func isID(_ text: some StringProtocol) -> Bool {
    text.utf8.count == 36 && isBeginning(ofID: text)
  }

  /// Whether a UUID in small letters could begin with a text.
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

/// What of a take can be changed; what is nil stays.
package struct TakeChanges: Sendable {
  /// The title.
  package var title: String?
  /// The species that is heard.
  package var species: String?
  /// Notes.
  package var notes: String?
  /// A message that was left with it.
  package var message: String?
  /// The name of its image's file in the folder of takes; empty for none.
  package var image: String?

  /// Changes.
  package init(
    title: String? = nil, species: String? = nil, notes: String? = nil, message: String? = nil,
    image: String? = nil
  ) {
    self.title = title
    self.species = species
    self.notes = notes
    self.message = message
    self.image = image
  }
}
