/// The broadcast time stamp of a sound (EBU Tech 3285, chunk `bext`), at which Ardour, Reaper and others
/// place the file.
package struct WaveBroadcast: Equatable, Sendable {
  /// The description of the sound, up to 256 bytes.
  package var description: String
  /// The local date of the first frame, such as 2026-11-29, and its time, such as 21:04:05.
  package var date: String
  package var time: String
  /// The first frame, counted from midnight.
  package var frame: Int

  /// Creates a time stamp.
  package init(description: String, date: String, time: String, frame: Int) {
    self.description = description
    self.date = date
    self.time = time
    self.frame = frame
  }

  static let name = "bext"

  // Version 0: the fields of later versions are reserved, and 0.
  var chunk: [UInt8] {
    var content = Self.field(description, 256) + Self.field("Syrinx", 32) + Self.field("", 32)
    content += Self.field(date, 10) + Self.field(time, 8)
    content += WaveChunk.number(UInt64(clamping: frame))
    content += [UInt8](repeating: 0, count: 2 + 64 + 10 + 180)
    return WaveChunk.bytes(Self.name, content)
  }

  private static func field(_ text: String, _ count: Int) -> [UInt8] {
    let bytes = Array(text.utf8.prefix(count))
    return bytes + [UInt8](repeating: 0, count: count - bytes.count)
  }
}
