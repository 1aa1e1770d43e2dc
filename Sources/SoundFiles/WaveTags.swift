/// The tags of a WAV file: the metadata of its sound.
///
/// Our own chunk `syrx` holds all of it. Standard chunks repeat the parts that other programs read.
/// The last `syrx` in a file is in effect, with the chunks that follow it.
package struct WaveTags: Equatable, Sendable {
  private static let mostText = 1 << 20
  private static let mostLoop = 1 << 28

  /// All metadata, as JSON.
  package var metadata: String
  /// The title, for other programs.
  package var title: String
  /// The date, for other programs.
  package var date: String
  /// The notes, for other programs.
  package var notes: String
  /// The subject, for other programs.
  package var subject: String
  /// Opaque loop data of the caller, or empty.
  package var loop: [UInt8]
  /// The beat of the clip, or nil, and the sample rate in Hz that its frames refer to.
  package var beat: WaveBeat?
  package var beatRate = 0

  /// Creates tags.
  package init(
    metadata: String = "", title: String = "", date: String = "", notes: String = "",
    subject: String = "", loop: [UInt8] = [], beat: WaveBeat? = nil, beatRate: Int = 0
  ) {
    self.beat = beat
    self.beatRate = beatRate
    self.metadata = metadata
    self.title = title
    self.date = date
    self.notes = notes
    self.subject = subject
    self.loop = loop
  }

  // MARK: - Reading

  /// Reads the tags of a file.
  ///
  /// Returns empty tags if it has none.
  package static func read(_ path: String) throws(SoundFileError) -> WaveTags {
    let file = try WaveFile(path, to: .read)
    return try read(file, WaveLayout(file))
  }

  package static func read(
    _ file: borrowing WaveFile, _ layout: WaveLayout
  ) throws(SoundFileError) -> WaveTags {
    var tags = WaveTags()
    for chunk in layout.chunks[(firstChunk(layout) ?? 0)...] {
      switch chunk.name {
      case ownName: tags.metadata = text(try content(of: chunk, file, atMost: mostText)[...])
      case loopName: tags.loop = try content(of: chunk, file, atMost: mostLoop)
      case WaveBeat.ownName:
        tags.beat = WaveBeat(
          try content(of: chunk, file, atMost: mostText), rate: &tags.beatRate)
      case listName where chunk.count >= 4:
        guard try file.read(4, at: chunk.content) == Array(listKind.utf8) else { break }
        tags.take(list: try content(of: chunk, file, atMost: mostText))
      default: break
      }
    }
    return tags
  }

  static let ownName = "syrx"
  static let loopName = "loop"
  static let listName = "LIST"
  private static let listKind = "INFO"
  /// The name of a padding chunk.
  static let emptyName = "JUNK"

  /// Returns the index of the first tag chunk in effect, or nil if the file has none of the node's.
  static func firstChunk(_ layout: WaveLayout) -> Int? {
    layout.chunks.lastIndex { $0.name == ownName }
  }

  private static func content(
    of chunk: WaveChunk, _ file: borrowing WaveFile, atMost most: Int
  ) throws(SoundFileError) -> [UInt8] {
    guard chunk.count <= most else {
      throw SoundFileError(
        .notSound,
        "\(file.path) is invalid: its chunk \(chunk.name) has \(chunk.count) bytes; "
          + "the limit is \(most)")
    }
    return try file.read(chunk.count, at: chunk.content)
  }

  private static var names: [(name: String, field: WritableKeyPath<WaveTags, String>)] {
    [("INAM", \.title), ("ICRD", \.date), ("ICMT", \.notes), ("ISBJ", \.subject)]
  }

  private mutating func take(list bytes: [UInt8]) {
    var place = 4
    while place + WaveChunk.headBytes <= bytes.count {
      let name = String(decoding: bytes[place..<place + 4], as: UTF8.self)
      let count = Int(WaveChunk.number(bytes[place...], at: 4) as UInt32)
      place += WaveChunk.headBytes
      guard count <= bytes.count - place else { return }
      if let (_, field) = Self.names.first(where: { $0.name == name }) {
        self[keyPath: field] = Self.text(bytes[place..<place + count])
      }
      place += count + count % 2
    }
  }

  /// Decodes a text up to its first zero byte.
  ///
  /// Some programs write Latin-1.
  private static func text(_ bytes: ArraySlice<UInt8>) -> String {
    let bytes = bytes.prefix { $0 != 0 }
    return String(validating: bytes, as: UTF8.self)
      ?? String(String.UnicodeScalarView(bytes.map { UnicodeScalar($0) }))
  }

  // MARK: - Writing

  /// The serialized chunks.
  var chunks: [UInt8] {
    var list = Array(Self.listKind.utf8)
    for (name, field) in Self.names where !self[keyPath: field].isEmpty {
      list += WaveChunk.bytes(name, Array(self[keyPath: field].utf8) + [0])
    }
    list += WaveChunk.bytes("ISFT", Array("Syrinx".utf8) + [0])
    var bytes = WaveChunk.bytes(Self.ownName, Array(metadata.utf8))
    bytes += WaveChunk.bytes(Self.listName, list)
    if let beat { bytes += beat.chunks(rate: beatRate) }
    if !loop.isEmpty { bytes += WaveChunk.bytes(Self.loopName, loop) }
    return bytes
  }

  /// Throws if the tags exceed the limits of the reader.
  func check(for path: String) throws(SoundFileError) {
    let texts =
      metadata.utf8.count + Self.names.reduce(0) { $0 + self[keyPath: $1.field].utf8.count }
    guard texts < Self.mostText - 1024, loop.count <= Self.mostLoop else {
      throw SoundFileError(.cannotWrite, "can't write \(path): its tags are too long")
    }
  }
}
