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
    let known = Self.metadata(in: tags)
    func text(_ name: String) -> String { known?[name]?.text ?? "" }
    let date = ZonedDate(text("date")) ?? date
    self.init(id: id, date: date, rate: layout.rate)
    let title = text("title").isEmpty ? tags.title : text("title")
    if !title.isEmpty { self.title = title }
    species = text("species").isEmpty ? tags.subject : text("species")
    notes = known == nil ? tags.notes : text("notes")
    message = text("message")
    if let latitude = known?["latitude"]?.number, let longitude = known?["longitude"]?.number {
      place = Place(latitude: latitude, longitude: longitude)
    }
    frames = layout.frames
    channels = layout.channels
    peak = known?["peak"]?.number
    loudness = known?["loudness"]?.number
    preset = text("preset")
    source = Source(rawValue: text("source")) ?? .imported
    image = text("image")
  }

  /// Whether the tags were written for a take.
  static func isTold(by tags: WaveTags) -> Bool { metadata(in: tags) != nil }

  /// Returns the JSON object in a take's tags, or nil if the tags have no members.
  private static func metadata(in tags: WaveTags) -> JSON? {
    guard let json = try? JSON(Array(tags.metadata.utf8)), case .object(let members) = json.content,
      !members.isEmpty
    else { return nil }
    return json
  }
}
