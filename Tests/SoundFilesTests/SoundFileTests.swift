import Foundation
import Library
import SoundFiles
import TestSupport
import Testing

@Suite struct SoundFileTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private static let lossless = ["wav", "aiff", "aif", "au", "snd", "caf", "w64", "rf64"]
  private static let lossy = ["ogg", "oga", "opus", "mp3"]

  /// Noise with the resolution of a format.
  private func noise(bits: Int, frames: Int = 10_000, seed: UInt64 = 1) -> [Float] {
    let steps = Float(1 << (bits - 1))
    return Tone.noise(amplitude: 0.9, frames: frames, seed: seed).map {
      ($0 * steps).rounded() / steps
    }
  }

  // MARK: - Round trips

  @Test(arguments: lossless)
  func `floats survive a round trip bit by bit, beyond full scale, too`(ending: String) throws {
    var (left, right) = (Tone.noise(frames: 10_000), Tone.noise(frames: 10_000, seed: 2))
    (left[5], right[6], left[7], right[8]) = (1.5, -3, 1e-9, 0.1)
    let path = folder.path("out.\(ending)")
    try SoundFixture.write(path, left: left, right: right)
    let sound = try SoundFixture.read(path)
    #expect(sound.left == left && sound.right == right && sound.rate == 48_000)
    let reader = try SoundReader(path)
    #expect(reader.isFine && reader.expectedFrames == 10_000 && reader.channels == 2)
  }

  @Test(arguments: lossless + ["flac"])
  func `24 bits survive a round trip bit by bit, and clip at full scale`(ending: String) throws {
    var (left, right) = (noise(bits: 24), noise(bits: 24, seed: 2))
    (left[0], left[1], left[2], right[3]) = (-1, 1 - 1 / 8_388_608, 1 / 8_388_608, -1 / 8_388_608)
    let path = folder.path("out.\(ending)")
    try SoundFixture.write(path, left: left, right: right, isFine: false)
    var sound = try SoundFixture.read(path)
    #expect(sound.left == left && sound.right == right)
    #expect(try !SoundReader(path).isFine)
    try SoundFixture.write(path, left: [2, -2], isFine: false)
    sound = try SoundFixture.read(path)
    #expect(sound.left == [1 - 1 / 8_388_608, -1])
  }

  @Test(arguments: [SoundFixture.Samples.integer16, .integer24])
  func `sound from integers keeps its lowest bit`(samples: SoundFixture.Samples) throws {
    let sound = noise(bits: samples == .integer16 ? 16 : 24) + [-1]
    try SoundFixture.write(folder.path("in.wav"), [sound, sound], samples: samples)
    let read = try SoundFixture.read(folder.path("in.wav"))
    #expect(read.left == sound)
    try SoundFixture.write(folder.path("out.flac"), left: read.left, isFine: false)
    #expect(try SoundFixture.read(folder.path("out.flac")).left == sound)
  }

  @Test(arguments: lossy)
  func `lossy formats keep the length, the alignment and the level`(ending: String) throws {
    let tone = Tone.sine(997, frames: 50_001)
    let path = folder.path("out.\(ending)")
    try SoundFixture.write(path, left: tone)
    let sound = try SoundFixture.read(path)
    #expect(sound.left.count == tone.count && sound.right.count == tone.count)
    var (power, error) = (0.0, 0.0)
    for frame in 5000..<45_000 {
      power += Double(tone[frame] * tone[frame])
      error += Double((sound.left[frame] - tone[frame]) * (sound.left[frame] - tone[frame]))
    }
    // A delay of one frame would yield -17.7 dB, and a gain error of 1% -40 dB.
    print("\(ending): error \(10 * log10(error / power)) dB")
    #expect(10 * log10(error / power) < -35)
  }

  @Test func `output is deterministic`() throws {
    let sound = Tone.noise(frames: 5000)
    for ending in ["wav", "aiff", "au", "caf", "w64", "flac", "mp3"] {
      try SoundFixture.write(folder.path("a.\(ending)"), left: sound, block: 1000)
      if ending == "wav" { letPass(seconds: 1.1, "the time of day changes, in seconds") }
      try SoundFixture.write(folder.path("b.\(ending)"), left: sound, block: 77)
      #expect(try folder.bytes("a.\(ending)") == folder.bytes("b.\(ending)"), "\(ending)")
    }
  }

  // MARK: - Channels and rates

  @Test func `mono is duplicated, and of many channels the first two are read`() throws {
    let channels = (1...6).map { Tone.noise(frames: 5000, seed: $0) }
    try SoundFixture.write(folder.path("1.wav"), [channels[0]])
    let mono = try SoundFixture.read(folder.path("1.wav"))
    #expect(mono.left == channels[0] && mono.right == channels[0])
    try SoundFixture.write(folder.path("6.wav"), channels)
    let many = try SoundFixture.read(folder.path("6.wav"))
    #expect(many.left == channels[0] && many.right == channels[1])
    #expect(try SoundReader(folder.path("6.wav")).channels == 6)
  }

  @Test func `a file is converted to the requested rate`() throws {
    let tone = Tone.sine(997, frames: 44_100, sampleRate: 44_100)
    try SoundFixture.write(folder.path("in.wav"), [tone], rate: 44_100)
    let sound = try SoundFixture.read(folder.path("in.wav"), rate: 48_000)
    #expect(sound.left.count == 48_000 && sound.rate == 44_100)
    // The end of the file is a step in the tone.
    let residue = Measure.residue(sound.left[4800..<43_200], hertz: 997, sampleRate: 48_000)
    #expect(residue < -140)
    let reader = try SoundReader(folder.path("in.wav")) { _ in 48_000 }
    #expect(reader.expectedFrames == 48_000 && reader.rate == 48_000)
    for block in [1, 64, 4096, 5000] {
      #expect(
        try SoundFixture.read(folder.path("in.wav"), rate: 48_000, block: block).left == sound.left)
    }
  }

  @Test func `a format without the rate uses a supported one`() throws {
    for (ending, rate, expected) in [
      ("opus", 44_100, 48_000), ("opus", 96_000, 48_000), ("opus", 8000, 8000),
      ("opus", 9000, 12_000), ("mp3", 96_000, 48_000), ("mp3", 44_100, 44_100),
      ("wav", 96_000, 96_000), ("flac", 192_000, 192_000), ("ogg", 11_025, 11_025),
    ] {
      #expect(try SoundFormat(endingOf: "x.\(ending)").rate(for: rate) == expected)
      let path = folder.path("\(rate).\(ending)")
      let tone = Tone.sine(997, frames: rate / 2, sampleRate: Double(rate))
      try SoundFixture.write(path, left: tone, rate: rate)
      let sound = try SoundFixture.read(path)
      #expect(sound.rate == expected, "\(path)")
      #expect(sound.left.count == expected / 2, "\(path)")
      let middle = sound.left[expected / 8..<expected * 3 / 8]
      // The residual of lossy formats, far above that of the converter.
      #expect(Measure.residue(middle, hertz: 997, sampleRate: Double(expected)) < -30, "\(path)")
    }
  }

  @Test func `file extensions ignore case`() throws {
    #expect(try SoundFormat(endingOf: "a/b.c/Take 1.WAV").name == "WAV")
    #expect(try SoundFormat(endingOf: "x.tar.Flac").name == "FLAC")
    for path in ["x", "x.", "x.xyz", "wav", "a.wav/b", "", "/"] {
      fails(.unknownEnding, mentioning: ".wav .flac .ogg") { () throws(SoundFileError) in
        _ = try SoundFormat(endingOf: path)
      }
    }
  }

  // MARK: - Faults

  private func fails(
    _ kind: SoundFileError.Kind, mentioning text: String = "",
    sourceLocation: SourceLocation = #_sourceLocation, _ body: () throws(SoundFileError) -> Void
  ) {
    do throws(SoundFileError) {
      try body()
      Issue.record("nothing was thrown", sourceLocation: sourceLocation)
    } catch {
      #expect(error.kind == kind, "\(error)", sourceLocation: sourceLocation)
      #expect(!error.description.contains("\n"), sourceLocation: sourceLocation)
      if !text.isEmpty {
        #expect(error.description.contains(text), sourceLocation: sourceLocation)
      }
    }
  }

  private func read(_ name: String) throws(SoundFileError) {
    _ = try SoundFixture.read(folder.path(name))
  }

  @Test func `missing and malformed files are reported`() throws {
    try Data("no sound at all".utf8).write(to: folder.url.appendingPathComponent("text.wav"))
    try Data().write(to: folder.url.appendingPathComponent("empty.wav"))
    fails(.missing, mentioning: "No such file") { () throws(SoundFileError) in
      try read("nothing.wav")
    }
    fails(.notSound) { () throws(SoundFileError) in try read("text.wav") }
    fails(.notSound) { () throws(SoundFileError) in try read("empty.wav") }
    fails(.notSound) { () throws(SoundFileError) in try read("") }
  }

  @Test func `a truncated file yields the remaining frames, or is reported as malformed`() throws {
    let sound = Tone.noise(frames: 50_000)
    func cut(_ name: String, to bytes: Int) throws {
      try folder.bytes(name).prefix(bytes).write(to: folder.url.appendingPathComponent(name))
    }
    for ending in ["wav", "aiff", "au"] {
      let name = "a.\(ending)"
      try SoundFixture.write(folder.path(name), left: sound)
      #expect(try !SoundReader(folder.path(name)).isCutOff)
      try cut(name, to: 200_000)
      let rest = try SoundFixture.read(folder.path(name)).left
      #expect(rest.count > 24_000 && rest == Array(sound[..<rest.count]))
      #expect(try SoundReader(folder.path(name)).isCutOff)
    }
    try SoundFixture.write(folder.path("a.flac"), left: sound)
    try cut("a.flac", to: 100_000)
    fails(.notSound, mentioning: "is damaged after") { () throws(SoundFileError) in
      try read("a.flac")
    }
    try SoundFixture.write(folder.path("a.wav"), left: sound)
    try cut("a.wav", to: 30)
    fails(.notSound) { () throws(SoundFileError) in try read("a.wav") }
  }

  @Test func `a file written to a pipe is not reported as truncated`() throws {
    let sound = Tone.noise(frames: 1000)
    try SoundFixture.write(folder.path("a.wav"), [sound])
    var bytes = try folder.bytes("a.wav")
    let data = try #require(bytes.range(of: Data("data".utf8)))
    for count: [UInt8] in [[255, 255, 255, 255], [0, 240, 255, 127]] {
      bytes.replaceSubrange(data.upperBound..<data.upperBound + 4, with: count)
      try bytes.write(to: folder.url.appendingPathComponent("a.wav"))
      var reader = try SoundReader(folder.path("a.wav"))
      #expect(try SoundFixture.read(&reader).left == sound)
      let isCutOff = reader.isCutOff
      #expect(!isCutOff)
    }
  }

  @Test func `damage in the middle neither hangs nor crashes`() throws {
    let sound = Tone.noise(frames: 20_000)
    for ending in ["wav", "flac", "ogg", "opus", "aiff", "caf", "w64", "au", "rf64"] {
      try SoundFixture.write(folder.path("whole.\(ending)"), left: sound)
      let whole = try folder.bytes("whole.\(ending)")
      for seed in 1...20 {
        var damaged = whole
        // The first offsets are in the header.
        let start = seed <= 10 ? seed * 3 : seed * whole.count / 25
        for index in start..<min(start + seed, whole.count) {
          damaged[index] = UInt8(truncatingIfNeeded: index &* 97 &+ seed)
        }
        try damaged.write(to: folder.url.appendingPathComponent("damaged.\(ending)"))
        do throws(SoundFileError) {
          let read = try SoundFixture.read(folder.path("damaged.\(ending)"))
          #expect(read.left.count == read.right.count)
        } catch {
          #expect(error.kind == .notSound, "\(error)")
        }
      }
    }
  }

  @Test func `failed writes are reported`() throws {
    let folder = folder
    func write(_ name: String, frames: Int? = nil) throws(SoundFileError) {
      let writer = try SoundWriter(
        folder.path(name), rate: 48_000, isFine: false, expectedFrames: frames)
      try writer.finish()
    }
    fails(.cannotWrite, mentioning: "No such file") { () throws(SoundFileError) in
      try write("nowhere/x.wav")
    }
    try FileManager.default.createDirectory(
      atPath: folder.path("folder.wav"), withIntermediateDirectories: false)
    fails(.cannotWrite, mentioning: "Is a directory") { () throws(SoundFileError) in
      try write("folder.wav")
    }
    try FileManager.default.createSymbolicLink(
      atPath: folder.path("device.wav"), withDestinationPath: "/dev/null")
    fails(.cannotWrite) { () throws(SoundFileError) in try write("device.wav") }
    fails(.unknownEnding) { () throws(SoundFileError) in try write("x.txt") }
    #expect(folder.names == ["device.wav", "folder.wav"])
  }

  @Test func `sound beyond the limit of a format is rejected at once, and WAV uses 64-bit lengths`()
    throws
  {
    let frames = 800_000_000
    for ending in ["aiff", "au"] {
      fails(.cannotWrite, mentioning: "4 GB") { () throws(SoundFileError) in
        _ = try SoundWriter(
          folder.path("x.\(ending)"), rate: 48_000, isFine: false, expectedFrames: frames)
      }
    }
    for (expected, mark) in [(frames, "RF64"), (1000, "RIFF")] {
      let writer = try SoundWriter(
        folder.path("x.wav"), rate: 48_000, isFine: false, expectedFrames: expected)
      try writer.finish()
      #expect(try folder.bytes("x.wav").prefix(4) == Data(mark.utf8))
    }
  }

  // MARK: - Replacing files

  @Test func `a file appears at its path only when it is complete`() throws {
    let path = folder.path("x.wav")
    try Data("former".utf8).write(to: URL(fileURLWithPath: path))
    func begin() throws {
      var writer = try SoundWriter(path, rate: 48_000, isFine: true)
      try SoundFixture.write([1, 2, 3], [1, 2, 3], to: &writer)
      #expect(folder.names.count == 2)
      #expect(try folder.bytes("x.wav") == Data("former".utf8))
    }
    try begin()
    #expect(folder.names == ["x.wav"])
    #expect(try folder.bytes("x.wav") == Data("former".utf8))
    try SoundFixture.write(path, left: [1, 2, 3])
    #expect(folder.names == ["x.wav"])
    #expect(try SoundFixture.read(path).left == [1, 2, 3])
  }

  @Test func `symbolic links and permissions are kept`() throws {
    let (file, link) = (folder.path("file.wav"), folder.path("link.wav"))
    try Data("former".utf8).write(to: URL(fileURLWithPath: file))
    chmod(file, 0o600)
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: file)
    try SoundFixture.write(link, left: [1, 2, 3])
    #expect(try FileManager.default.destinationOfSymbolicLink(atPath: link) == file)
    #expect(try SoundFixture.read(file).left == [1, 2, 3])
    let mode = try FileManager.default.attributesOfItem(atPath: file)[.posixPermissions] as? Int
    #expect(mode == 0o600)
  }

  @Test func `a decoder prints nothing about a damaged file`() async throws {
    let path = folder.path("whole.mp3")
    try SoundFixture.write(path, left: Tone.noise(frames: 96_000), isFine: false)
    let whole = try Data(contentsOf: URL(fileURLWithPath: path))
    var damaged = whole
    for index in whole.count / 4..<whole.count / 2 { damaged[index] = 0xFF }
    // The header of the first declares more than it has.
    for (index, data) in [whole.prefix(whole.count / 2), damaged].enumerated() {
      try data.write(to: URL(fileURLWithPath: folder.path("\(index).mp3")))
    }
    await #expect(processExitsWith: .success) { [path = folder.url.path as String] in
      let errors = "\(path)/errors"
      let former = dup(2)
      let file = open(errors, O_WRONLY | O_CREAT, 0o600)
      dup2(file, 2)
      var frames = 0
      for index in 0..<2 {
        var reader = try SoundReader("\(path)/\(index).mp3")
        try? reader.readBlocks { frames += $1 }
      }
      dup2(former, 2)
      guard frames > 10_000, try Data(contentsOf: URL(fileURLWithPath: errors)).isEmpty else {
        exit(1)
      }
    }
  }
}
