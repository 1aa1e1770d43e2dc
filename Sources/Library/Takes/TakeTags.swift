internal import JSON
internal import Posix
package import SoundFiles

/// The tags in a take's file.
extension Take {
  package var tags: WaveTags { tags(loop: []) }

  /// Returns the tags of its file, with the data of a loop.
  package func tags(loop: [UInt8], beat: WaveBeat? = nil) -> WaveTags {
    WaveTags(
      metadata: json, title: title, date: date.text,
      // Few programs have a field for a message.
      notes: [notes, message].filter { !$0.isEmpty }.joined(separator: "\n"), subject: species,
      loop: loop, beat: beat, beatRate: beat == nil ? 0 : rate)
  }

  /// The metadata of the take as one line of JSON.
  package var json: String { JSONText(members).text }

  /// The metadata as members of a JSON object.
  var members: [(String, any JSONWritable)] {
    [
      ("id", id), ("title", title), ("species", species), ("notes", notes), ("message", message),
      ("date", date.text), ("latitude", place?.latitude), ("longitude", place?.longitude),
      ("frames", frames), ("rate", rate), ("channels", channels), ("peak", peak),
      ("loudness", loudness), ("preset", preset), ("source", source.rawValue), ("image", image),
    ]
  }

  /// Creates a take from a file's tags.
  ///
  /// Length and rate come from the file's layout, the ID from its name. Missing and malformed tags
  /// get defaults.
  init(id: String, _ tags: WaveTags, _ layout: WaveLayout, fallback date: ZonedDate) {
    let known = Members(tags.metadata)
    let date = ZonedDate(known["date"]) ?? date
    self.init(id: id, date: date, rate: layout.rate)
    let title = known["title"].isEmpty ? tags.title : known["title"]
    if !title.isEmpty { self.title = title }
    species = known["species"].isEmpty ? tags.subject : known["species"]
    notes = known.isEmpty ? tags.notes : known["notes"]
    message = known["message"]
    if let latitude = known.number("latitude"), let longitude = known.number("longitude") {
      place = Place(latitude: latitude, longitude: longitude)
    }
    frames = layout.frames
    channels = layout.channels
    peak = known.number("peak")
    loudness = known.number("loudness")
    preset = known["preset"]
    source = Source(rawValue: known["source"]) ?? .imported
    image = known["image"]
  }

  /// Whether the tags were written for a take.
  static func isTold(by tags: WaveTags) -> Bool { !Members(tags.metadata).isEmpty }

  /// The members of a JSON object.
  ///
  /// Empty for any other text.
  private struct Members {
    private var contents: [String: JSON.Content] = [:]

    init(_ text: String) {
      guard case .object(let members)? = (try? JSON(Array(text.utf8)))?.content else { return }
      for member in members { contents[member.name] = member.value.content }
    }

    var isEmpty: Bool { contents.isEmpty }

    subscript(name: String) -> String {
      if case .text(let text)? = contents[name] { text } else { "" }
    }

    func number(_ name: String) -> Double? {
      if case .number(let number)? = contents[name] { number } else { nil }
    }
  }
}
