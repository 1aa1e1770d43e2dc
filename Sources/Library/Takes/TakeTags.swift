internal import JSON
internal import Posix
package import SoundFiles

/// The tags that a take's file tells it by.
extension Take {
  /// The tags of its file.
  package var tags: WaveTags { tags(loop: []) }

  /// The tags of its file, with what belongs to a loop.
  package func tags(loop: [UInt8], beat: WaveBeat? = nil) -> WaveTags {
    WaveTags(
      metadata: json, title: title, date: date.text,
      // Few programs have a place for a message.
      notes: [notes, message].filter { !$0.isEmpty }.joined(separator: "\n"), subject: species,
      loop: loop, beat: beat, beatRate: beat == nil ? 0 : rate)
  }

  /// All that is known of the take, as JSON in one line.
  package var json: String { json { _ in } }

  /// Writes all that is known of the take, with more members, as JSON in one line.
  func json(_ addMore: (inout JSONText) -> Void) -> String {
    var json = JSONText()
    json.begin("{")
    json.add("id", id)
    json.add("title", title)
    json.add("species", species)
    json.add("notes", notes)
    json.add("message", message)
    json.add("date", date.text)
    json.add("latitude", place?.latitude)
    json.add("longitude", place?.longitude)
    json.add("frames", frames)
    json.add("rate", rate)
    json.add("channels", channels)
    json.add("peak", peak)
    json.add("loudness", loudness)
    json.add("preset", preset)
    json.add("source", source.rawValue)
    json.add("image", image)
    addMore(&json)
    json.end("}")
    return json.text
  }

  /// The take that a file's tags tell of.
  ///
  /// The file's own length and rate count, and so does its name. What the tags don't tell, or not
  /// as it should be, is as in a take of which nothing is known.
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

  /// Whether tags are those of a take.
  static func isTold(by tags: WaveTags) -> Bool { !Members(tags.metadata).isEmpty }

  /// What stands in an object of JSON; nothing in what is none.
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
