import Foundation
import TestSupport
import Testing

@testable import Library
@testable import SoundFiles

@Suite struct WaveTagsTests {
  private let folder: TemporaryFolder
  private let path: String
  private let sound = Tone.noise(frames: 500)

  init() throws {
    folder = try TemporaryFolder()
    path = folder.path("take.wav")
  }

  private func tags(_ number: Int, length: Int = 20) -> WaveTags {
    WaveTags(
      metadata: "{\"number\":\(number)}" + String(repeating: " ", count: length),
      title: "Title \(number)", date: "2026-11-21", notes: "Nötes, \(number)", subject: "Amsel",
      loop: (0..<number % 7).map { UInt8($0) })
  }

  private func fails(
    mentioning text: String, sourceLocation: SourceLocation = #_sourceLocation,
    _ body: () throws -> Void
  ) {
    let error = #expect(throws: SoundFileError.self, sourceLocation: sourceLocation) { try body() }
    #expect(error?.description.contains(text) == true, sourceLocation: sourceLocation)
    #expect(error?.description.contains("\n") == false, sourceLocation: sourceLocation)
  }

  // MARK: - Reading and writing

  @Test func `tags survive a round trip, and other programs read them`() throws {
    try WaveFixture.write(path, sound, tags: tags(3))
    #expect(try WaveTags.read(path) == tags(3))
    #expect(try SoundFixture.read(path).left == sound)
    let strings = try SoundStrings.read(path)
    #expect(strings[.title] == "Title 3" && strings[.comment] == "Nötes, 3")
    #expect(strings[.date] == "2026-11-21" && strings[.software] == "Syrinx")
  }

  @Test func `a file of another program has a title and no metadata`() throws {
    try SoundFixture.write(path, [sound])
    #expect(try WaveTags.read(path) == WaveTags())
    fails(mentioning: "import it first") { try WaveTags.replace(path, with: tags(1)) }
  }

  @Test func `tags at the beginning are in effect until there are others`() throws {
    var writer = try WaveWriter(path, rate: 48_000, isFine: true, tags: tags(1))
    try WaveFixture.append(sound, to: &writer)
    try writer.keepCurrent()
    #expect(try WaveTags.read(path) == tags(1))
    try writer.finish(tags: tags(2))
    #expect(try WaveTags.read(path) == tags(2))
    #expect(try SoundStrings.read(path)[.title] == "Title 2")
    #expect(try SoundFixture.read(path).left == sound)
  }

  // MARK: - Replacing

  @Test func `tags are replaced, and the file does not grow with each change`() throws {
    try WaveFixture.write(path, sound, tags: tags(1))
    let size = try folder.bytes("take.wav").count
    for number in 2..<30 {
      let tags = tags(number, length: number * 37 % 100)
      try WaveTags.replace(path, with: tags)
      #expect(try WaveTags.read(path) == tags)
      #expect(try SoundStrings.read(path)[.title] == "Title \(number)")
      #expect(try SoundFixture.read(path).left == sound)
      // Space for three times the longest tags, at most.
      #expect(try folder.bytes("take.wav").count < size + 1200)
    }
  }

  @Test func `tags are added to a file without any`() throws {
    try WaveFixture.write(path, sound)
    try WaveTags.replace(path, with: tags(5))
    #expect(try WaveTags.read(path) == tags(5))
    #expect(try SoundFixture.read(path).left == sound)
  }

  @Test func `a file whose tags exceed 32-bit lengths becomes RF64`() throws {
    try WaveFixture.write(path, sound, tags: tags(1))
    let layout = try WaveLayout(path)
    for step in WaveTags.steps(layout, tags(2).chunks, longest: layout.end) {
      try step.take(in: WaveFile(path, to: .change))
    }
    #expect(try folder.bytes("take.wav").prefix(4) == Data("RF64".utf8))
    #expect(try WaveTags.read(path) == tags(2))
    #expect(try SoundFixture.read(path).left == sound)
    #expect(try !SoundReader(path).isCutOff)
    // And stays RF64.
    try WaveTags.replace(path, with: tags(3))
    #expect(try WaveTags.read(path) == tags(3))
    #expect(try SoundFixture.read(path).left == sound)
  }

  @Test func `an interruption at any step leaves a valid file with the old or the new tags`() throws
  {
    try WaveFixture.write(path, sound, tags: tags(1))
    var kinds: Set<Bool> = []
    for number in 2..<6 {
      let (former, new) = (tags(number - 1), tags(number))
      let whole = try folder.bytes("take.wav")
      let steps = try WaveTags.steps(WaveLayout(path), new.chunks)
      kinds.insert(steps.contains { if case .truncate = $0 { true } else { false } })
      for count in 0...steps.count {
        // All writes before a step, and half of that one.
        for part in [0, 5, 30] {
          try whole.write(to: URL(fileURLWithPath: path))
          for step in steps.prefix(count) { try step.take(in: WaveFile(path, to: .change)) }
          // A disk writes a header atomically.
          if count < steps.count, case .write(let bytes, let place) = steps[count], bytes.count > 48
          {
            try WaveFile(path, to: .change).write(Array(bytes.prefix(part)), at: place)
          }
          let read = try WaveTags.read(path)
          #expect(read == former || read == new, "step \(count) of \(steps.count)")
          #expect(count != 0 || read == former)
          #expect(count != steps.count || read == new)
          #expect(try SoundFixture.read(path).left == sound)
          // It can be changed again.
          try WaveTags.replace(path, with: tags(9))
          #expect(try WaveTags.read(path) == tags(9))
          #expect(try SoundFixture.read(path).left == sound)
        }
      }
      try whole.write(to: URL(fileURLWithPath: path))
      try WaveTags.replace(path, with: new)
    }
    // Both variants occurred: at the end of the file, and in the space of earlier tags.
    #expect(kinds.count == 2)
  }

  @Test func `an unfinished recording is not changed`() throws {
    var writer = try WaveWriter(path, rate: 48_000, isFine: true)
    try WaveFixture.append(sound, to: &writer)
    fails(mentioning: "repair it first") { try WaveTags.replace(path, with: tags(1)) }
    try writer.finish()
    try WaveTags.replace(path, with: tags(1))
    #expect(try SoundFixture.read(path).left == sound)
  }

  @Test func `a partial tag chunk after the sound is not counted as sound`() throws {
    try WaveFixture.write(path, sound)
    let whole = try folder.bytes("take.wav")
    let chunks = tags(3).chunks
    for count in 0...chunks.count {
      try (whole + Data(chunks.prefix(count))).write(to: URL(fileURLWithPath: path))
      #expect(try WaveRepair.repair(path) == 500)
      #expect(try SoundFixture.read(path).left == sound)
      // A chunk is in effect as a whole, or not at all.
      let metadata = try WaveTags.read(path).metadata
      #expect(metadata.isEmpty || metadata == tags(3).metadata)
    }
    #expect(try WaveTags.read(path) == tags(3))
  }

  // MARK: - Malformed files

  @Test func `malformed files and other formats are reported`() throws {
    func put(_ bytes: [UInt8]) throws { try Data(bytes).write(to: URL(fileURLWithPath: path)) }
    fails(mentioning: "No such file") { _ = try WaveTags.read(path) }
    try put([])
    fails(mentioning: "is not a WAV file") { _ = try WaveTags.read(path) }
    try put(Array("RIFF----AVI LIST----".utf8))
    fails(mentioning: "is not a WAV file") { _ = try WaveTags.read(path) }
    try put(Array("RIFF".utf8) + [255, 255, 0, 0] + Array("WAVE".utf8))
    fails(mentioning: "has no sound") { _ = try WaveTags.read(path) }
    try put(Array("RF64".utf8) + [255, 255, 255, 255] + Array("WAVE".utf8))
    fails(mentioning: "it has no length") { _ = try WaveTags.read(path) }
    try put(Array("RIFF".utf8) + [255, 255, 0, 0] + Array("WAVEfmt ".utf8) + [9, 9, 9, 9, 1, 0])
    fails(mentioning: "declares 151587081 bytes, but has 2") { _ = try WaveTags.read(path) }
    // A million empty chunks.
    var many = Array("RIFF".utf8) + [255, 255, 255, 0] + Array("WAVE".utf8)
    for _ in 0..<20_000 { many += Array("none".utf8) + [0, 0, 0, 0] }
    try put(many)
    fails(mentioning: "too many chunks") { _ = try WaveTags.read(path) }
    #expect(mkfifo(folder.path("pipe.wav"), 0o644) == 0)
    fails(mentioning: "is not a regular file") { _ = try WaveTags.read(folder.path("pipe.wav")) }
    fails(mentioning: "is not a regular file") { _ = try WaveTags.read(folder.url.path) }
  }

  @Test func `damage anywhere neither hangs nor crashes`() throws {
    try WaveFixture.write(path, Array(sound[..<4]), tags: tags(3))
    let whole = try folder.bytes("take.wav")
    for place in whole.indices {
      for value: UInt8 in place < 100 ? [0, 0x7F, 0xFF] : [0xFF] {
        var damaged = whole
        damaged[place] = value
        try damaged.write(to: URL(fileURLWithPath: path))
        do throws(SoundFileError) {
          _ = try WaveTags.read(path)
          try WaveRepair.repair(path)
          try WaveTags.replace(path, with: tags(2))
          // Files that can't be changed are reported.
          #expect(try WaveTags.read(path) == tags(2))
        } catch {
          #expect(!error.description.contains("\n"))
        }
      }
    }
  }
}
