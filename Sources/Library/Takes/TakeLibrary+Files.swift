internal import DSP
internal import Glibc
internal import Posix
internal import SoundFiles

extension TakeLibrary {
  /// Copies a sound file of any format into the library at its own rate, and returns its take.
  ///
  /// All metadata of a former take is kept, and title, artist and comment of other files.
  /// `progress` receives the seconds done and, if known, in total.
  @discardableResult
  package func importFile(
    _ path: String, progress: (_ done: Double, _ total: Double?) -> Void = { (_, _) in }
  ) throws(LibraryFault) -> Take {
    let strings = try asLibrary { () throws(SoundFileError) in try SoundStrings.read(path) }
    var take = Self.take(path, strings)
    let copy = files.copy(take.id)
    do throws(LibraryFault) {
      try asLibrary { () throws(SoundFileError) in
        var reader = try SoundReader(path)
        take.rate = reader.rate
        let (rate, expected) = (Double(reader.rate), reader.expectedFrames.map(Double.init))
        var writer = try WaveWriter(copy, rate: reader.rate, isFine: reader.isFine)
        let measured = try Self.measure(&reader) { (sound, frames) throws(SoundFileError) in
          try writer.append(sound, frames: frames)
          progress(Double(writer.frames) / rate, expected.map { $0 / rate })
        }
        (take.peak, take.loudness) = (measured.peak, measured.integrated)
        take.frames = writer.frames
        try writer.finish(tags: take.tags)
      }
      guard take.frames > 0 else { throw LibraryFault(.denied, "\(path) contains no sound") }
      return try add(take, from: copy)
    } catch {
      Files.remove(copy)
      throw error
    }
  }

  /// Makes the take for an imported file.
  private static func take(_ path: String, _ strings: SoundStrings) -> Take {
    let id = Take.newID()
    let date = TakeFiles.modified(path) ?? .now
    if let tags = try? WaveTags.read(path), Take.isTold(by: tags),
      let layout = try? WaveLayout(path)
    {
      var take = Take(id: id, tags, layout, fallback: date)
      // The image was not imported.
      take.image = ""
      return take
    }
    let file = path.split(separator: "/").last.map(String.init) ?? path
    let name = file.lastIndex(of: ".").map { String(file[..<$0]) } ?? file
    var take = Take(
      id: id, title: cleaned(strings[.title].isEmpty ? name : strings[.title], 200), date: date,
      rate: 1, source: .imported)
    take.notes = cleaned(
      [strings[.artist], strings[.comment]].filter { !$0.isEmpty }.joined(separator: "\n"), 20_000)
    return take
  }

  /// Replaces control characters and cuts a text to the maximum length.
  private static func cleaned(_ text: String, _ most: Int) -> String {
    var text = String(
      String.UnicodeScalarView(
        text.unicodeScalars.map { $0.value >= 32 || $0 == "\n" && most > 200 ? $0 : " " }))
    while text.utf8.count > most { text.removeLast() }
    return text
  }

  /// Reads a file to its end and measures it.
  static func measure(
    _ reader: inout SoundReader,
    _ use: (Stereo, Int) throws(SoundFileError) -> Void = { (_, _) in }
  ) throws(SoundFileError) -> Loudness {
    var loudness = Loudness(rate: reader.rate)
    try reader.readBlocks { sound, frames throws(SoundFileError) in
      loudness.add(sound, frames: frames)
      try use(sound, frames)
    }
    return loudness
  }

  /// Exports a take to a file, in the format of its extension, with its title and the other
  /// metadata that the format supports.
  ///
  /// `progress` receives the seconds done and in total.
  package func export(
    _ id: String, to path: String,
    progress: (_ done: Double, _ total: Double?) -> Void = { (_, _) in }
  ) throws(LibraryFault) {
    let take = try take(id)
    let folder = Files.folder(of: path)
    guard !Files.areSame(folder, files.folder), !Files.areSame(folder, files.trash) else {
      throw LibraryFault(.denied, "can't write \(path): it belongs to the library")
    }
    try asLibrary { () throws(SoundFileError) in
      var reader = try SoundReader(files.path(take.id))
      var writer = try SoundWriter(
        path, rate: reader.rate, isFine: reader.isFine, expectedFrames: reader.expectedFrames)
      take.strings.write(to: writer.handle.pointer)
      let rate = Double(reader.rate)
      var done = 0
      try reader.readBlocks { sound, frames throws(SoundFileError) in
        try writer.write(sound, frames: frames)
        done += frames
        progress(Double(done) / rate, take.seconds)
      }
      try writer.finish()
    }
  }
}

extension Take {
  /// The metadata strings for other formats.
  fileprivate var strings: SoundStrings {
    var strings = SoundStrings()
    strings[.title] = title
    strings[.comment] = tags.notes
    strings[.date] = date.text
    strings[.genre] = species
    strings[.software] = "Syrinx"
    return strings
  }
}
