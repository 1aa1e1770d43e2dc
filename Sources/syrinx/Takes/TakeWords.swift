internal import Glibc
internal import Library
internal import Posix
internal import Screen

/// The wording of a take's properties for people.
enum TakeWords {
  /// Formats a date as day and minute in the local time of the take.
  static func minute(_ date: ZonedDate) -> String {
    date.text.prefix(10) + " " + date.text.dropFirst(11).prefix(5)
  }

  /// Formats a take's length as minutes and seconds, with hours if needed.
  static func length(_ take: Take) -> String {
    // A damaged library may have NaN here.
    let tenths = Int(min(max(0, take.seconds * 10), 1e12).rounded(.down))
    let (seconds, minutes) = (tenths / 10 % 60, tenths / 600)
    let end = "\(Figure.two(seconds)).\(tenths % 10)"
    return minutes < 60
      ? "\(minutes):\(end)" : "\(minutes / 60):\(Figure.two(minutes % 60)):\(end)"
  }

  /// Formats a location to within some meters, as `--near` takes it.
  static func place(_ place: Place) -> String {
    [place.latitude, place.longitude].map { decimal($0, 4) }.joined(separator: ",")
  }

  /// Formats a number with this many decimals.
  private static func decimal(_ number: Double, _ digits: Int) -> String {
    Figure.decimal(number, places: digits) ?? "\(number)"
  }

  /// Formats all properties of a take, one per line.
  static func all(of take: Take, in library: TakeLibrary, inTrash: Bool) -> String {
    let path = inTrash ? library.trashPath(take) : library.path(take)
    let fields: [(String, String)] = [
      ("id", take.id), ("title", take.title), ("species", take.species),
      ("date", take.date.text),
      (
        "length",
        "\(length(take)), \(take.frames) frames at \(take.rate) Hz, \(channels(take.channels))"
      ),
      ("place", take.place.map(place) ?? ""), ("notes", take.notes), ("message", take.message),
      ("peak", take.peak.map { "\(decimal($0, 1)) dB" } ?? ""),
      ("loudness", take.loudness.map { "\(decimal($0, 1)) LUFS" } ?? ""),
      ("preset", take.preset), ("source", take.source.rawValue),
      ("image", inTrash ? take.image : library.imagePath(take) ?? ""),
      ("picture", inTrash ? "" : library.imageOrigin(take).credit.map(credit) ?? ""),
      ("file", path),
      ("trash", inTrash ? "yes" : ""),
    ]
    let indent = String(repeating: " ", count: 10)
    return fields.filter { !$0.1.isEmpty }.map { name, text in
      let label = name + String(repeating: " ", count: 10 - name.count)
      return label + PlainText.lines(text).joined(separator: "\n" + indent) + "\n"
    }.joined()
  }

  private static func credit(_ credit: PictureCredit) -> String {
    [credit.author, credit.licence, credit.source].filter { !$0.isEmpty }.joined(separator: ", ")
  }

  private static func channels(_ count: Int) -> String {
    switch count {
    case 1: "mono"
    case 2: "stereo"
    default: "\(count) channels"
    }
  }
}
