import Foundation
import TestSupport
import Testing

/// `syrinx render` as a player of recordings: at every rate it renders the whole file, from its
/// first frame to its last.
@Suite(.serialized, .hangLimit) struct RenderRecordingTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func write(_ name: String, _ sound: [Float], rate: Int = 48_000) throws {
    try SoundFixture.write(folder.path(name), [sound, sound], rate: rate)
  }

  /// Renders `in.wav` with options, without errors or output, and reads the result.
  private func render(_ options: String...) throws -> [Float] {
    let result = try NodeProcess.run(
      ["render", folder.path("in.wav"), folder.path("out.wav")] + options)
    #expect(result.code == 0 && result.errors.isEmpty, "\(result.errors)")
    return try SoundFixture.read(folder.path("out.wav")).left
  }

  private static func set(_ rate: Double, _ engine: String) -> [String] {
    ["--set", "/stretch/rate=\(rate)", "--set", "/pitch/engine=\(engine)"]
  }

  // MARK: - Length

  @Test(arguments: [("rabbit", 1.5), ("snail", 0.5), ("half-speed", 0.5)])
  func `a preset's rate applies to the whole file`(preset: String, rate: Double) throws {
    // More than the ten seconds of the live delay buffer.
    try write("in.wav", Tone.sine(220, frames: 12 * 48_000))
    let expected = Int((12 * 48_000 / rate).rounded())
    // To the frame if it ends with IN; otherwise as long as it sounds.
    #expect(abs(try render("--preset", preset, "--tail", "0").count - expected) <= 1)
    let whole = try render("--preset", preset)
    #expect((0...4800).contains(whole.count - expected))
    #expect(Measure.peak(whole[(expected - 9600)..<(expected - 4800)]) > 0.4)
  }

  @Test(arguments: [0.25, 0.5, 0.8, 1.5, 4], ["live", "voice", "studio"])
  func `a tone continues without a gap or a step, at its own pitch`(
    rate: Double, engine: String
  ) throws {
    try write("in.wav", Tone.sine(441, frames: 3 * 48_000))
    let result = try NodeProcess.run(
      ["render", folder.path("in.wav"), folder.path("out.wav"), "--tail", "0"]
        + Self.set(rate, engine))
    #expect(result.code == 0 && result.errors.isEmpty, "\(result.errors)")
    let sound = try SoundFixture.read(folder.path("out.wav")).left
    #expect(abs(sound.count - Int((3 * 48_000 / rate).rounded(.up))) <= 1)
    // Without the start and the end, which an analysis window rounds off: longer at slower rates.
    let edge = Int(7200 / min(rate, 1))
    let middle = Array(sound[edge..<(sound.count - edge)])
    // Each hundredth of a second has about the same level: nothing is missing.
    let powers = stride(from: 0, to: middle.count - 480, by: 480).map {
      Measure.peak(middle[$0..<($0 + 480)])
    }
    #expect(powers.min()! > 0.4 && powers.max()! < 0.6, "\(powers.min()!) to \(powers.max()!)")
    // At four times the rate, three quarters are left out: the live engine crossfades over them
    // repeatedly.
    let residue = rate == 4 && engine == "live" ? -15.0 : -25
    #expect(Measure.residue(middle.prefix(24_000), hertz: 441, sampleRate: 48_000) < residue)
    #expect(Measure.roughness(middle) < 2 * Measure.roughness(Tone.sine(441, frames: 4800)))
  }

  // MARK: - Order

  /// Tones at irregular times, each identified by its pitch.
  private static let beats = [
    0.5, 0.9, 1.6, 2.0, 2.7, 3.3, 3.6, 4.4, 5.0, 5.3, 6.1, 6.8, 7.2, 8.0, 8.4, 9.1, 9.9, 10.4, 11.2,
    11.8,
  ]
  private static func hertz(_ number: Int) -> Double { 300 * pow(2, Double(number) / 6) }

  private func writeBeats() throws {
    var sound = [Float](repeating: 0, count: Int(12.5 * 48_000))
    for (number, beat) in Self.beats.enumerated() {
      let start = Int(beat * 48_000)
      for frame in 0..<5760 {
        let angle = 2 * .pi * Self.hertz(number) * Double(frame) / 48_000
        let shape = sin(.pi * Double(frame) / 5760)
        sound[start + frame] = Float(0.5 * shape * sin(angle))
      }
    }
    try write("in.wav", sound)
  }

  /// The onsets of tones in seconds, with the numbers of their pitches.
  private static func found(_ sound: [Float]) -> [(seconds: Double, number: Int)] {
    var result: [(Double, Int)] = []
    var isSounding = false
    for start in stride(from: 0, to: sound.count - 480, by: 480) {
      let peak = Measure.peak(sound[start..<(start + 480)])
      if !isSounding, peak > 0.1 {
        isSounding = true
        let part = sound[(start + 960)..<min(start + 2880, sound.count)]
        let best = beats.indices.min {
          Measure.residue(part, hertz: hertz($0), sampleRate: 48_000)
            < Measure.residue(part, hertz: hertz($1), sampleRate: 48_000)
        }
        result.append((Double(start) / 48_000, best ?? -1))
      } else if isSounding, peak < 0.03 {
        isSounding = false
      }
    }
    return result
  }

  @Test(arguments: [0.5, 1, 1.5], ["live", "voice", "studio"])
  func `everything in it is rendered once, in order and on time`(rate: Double, engine: String)
    throws
  {
    try writeBeats()
    let result = try NodeProcess.run(
      ["render", folder.path("in.wav"), folder.path("out.wav")] + Self.set(rate, engine))
    #expect(result.code == 0)
    let found = Self.found(try SoundFixture.read(folder.path("out.wav")).left)
    #expect(found.map(\.number) == Array(Self.beats.indices))
    for (beat, found) in zip(Self.beats, found) {
      // Half of a studio window at half the rate, and the steps of the search.
      #expect(abs(found.seconds - beat / rate) < 0.08, "\(beat): \(found)")
    }
  }

  // MARK: - Timed changes

  @Test
  func `a timed rate change takes effect there, and times of settings are those of IN`()
    throws
  {
    try write("in.wav", Tone.sine(300, frames: 4 * 48_000))
    let sound = try render(
      "--set", "/stretch/rate=0.5@1", "--set", "/stretch/rate=2@2", "--set", "/mute=1@3", "--tail",
      "0")
    // 1 + 2 + 1 seconds, except for the glides between.
    #expect(abs(sound.count - 4 * 48_000) < 1440)
    // A second from the end of IN is half a second from the end of OUT.
    let mute = sound.count - 24_000
    #expect(Measure.peak(sound[(mute - 4800)..<(mute - 480)]) > 0.4)
    #expect(sound[(mute + 4800)...].allSatisfy { $0 == 0 })
    #expect(Measure.roughness(sound) < 2 * Measure.roughness(Tone.sine(300, frames: 4800)))
  }

  @Test func `a second voice is stretched with the first`() throws {
    try write("in.wav", Tone.sine(220, frames: 3 * 48_000))
    let sound = try render(
      "--preset", "fifth", "--set", "/stretch/on=1", "--set", "/stretch/rate=0.5", "--set",
      "/pitch/engine=studio", "--tail",
      "0")
    #expect(abs(sound.count - 6 * 48_000) <= 1)
    for start in [96_000, 192_000] {
      let part = sound[start..<(start + 24_000)]
      let own = Self.amplitude(part, hertz: 220)
      let fifth = Self.amplitude(part, hertz: 220 * pow(2, 7.0 / 12))
      #expect((0.15...0.35).contains(own) && (0.15...0.35).contains(fifth), "\(own) \(fifth)")
    }
  }

  /// The amplitude of a tone in a sound at 48 kHz.
  private static func amplitude(_ sound: ArraySlice<Float>, hertz: Double) -> Double {
    var (real, imaginary) = (0.0, 0.0)
    for (frame, sample) in sound.enumerated() {
      // A window, which excludes other tones.
      let weight = 1 - cos(2 * .pi * (Double(frame) + 0.5) / Double(sound.count))
      let angle = 2 * .pi * hertz * Double(frame) / 48_000
      real += weight * Double(sample) * cos(angle)
      imaginary += weight * Double(sample) * sin(angle)
    }
    return 2 * (real * real + imaginary * imaginary).squareRoot() / Double(sound.count)
  }

  @Test func `gain and route of the live input apply to the recording`() throws {
    try write("in.wav", Tone.constant(0.5, frames: 20_000))
    #expect(Set(try render("--set", "/in/gain=-6", "--set", "/live/gain=6")).count == 1)
    // When it bypasses the chain it keeps its own rate.
    #expect(try render("--set", "/live/route=direct", "--preset", "snail").count == 20_000)
    #expect(try render("--set", "/live/route=off").allSatisfy { $0 == 0 })
  }

  @Test func `with --live it acts as a microphone signal, and OUT is as long as IN`() throws {
    try write("in.wav", Tone.sine(220, frames: 96_000))
    #expect(try render("--live", "--preset", "snail", "--tail", "0").count == 96_000)
    let noise = Tone.noise(frames: 30_000)
    try write("in.wav", noise)
    #expect(try render("--live") == noise)
    #expect(
      Measure.firstDifference(try render("--live", "--set", "/live/gain=-6@0.25"), noise) == 12_000)
  }

  // MARK: - Pipes and folders

  /// Runs a shell command, in which $syrinx is the program.
  private func shell(_ line: String) throws -> (code: Int32, errors: String) {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/bin/bash")
    process.arguments = ["-o", "pipefail", "-c", line]
    process.currentDirectoryURL = folder.url
    process.environment = ProcessInfo.processInfo.environment.merging(
      ["syrinx": NodeProcess.binary.path, "TMPDIR": folder.url.path]
    ) { $1 }
    let errors = Pipe()
    process.standardError = errors
    process.standardInput = FileHandle.nullDevice
    try process.run()
    let said = String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    return (process.terminationStatus, said)
  }

  @Test func `sound is read from and written to pipes`() throws {
    let noise = Tone.noise(frames: 30_000)
    try write("in.wav", noise)
    for line in [
      "cat in.wav | $syrinx render - out.wav", "$syrinx render in.wav - | cat >out.wav",
      "$syrinx render - - <in.wav >out.wav",
      "cat in.wav | $syrinx render - - | $syrinx render - - | cat >out.wav",
    ] {
      let (code, errors) = try shell(line)
      #expect(code == 0 && errors.isEmpty, "\(line): \(errors)")
      #expect(try SoundFixture.read(folder.path("out.wav")).left == noise)
      try FileManager.default.removeItem(atPath: folder.path("out.wav"))
    }
    // The temporary files are deleted.
    #expect(folder.names == ["in.wav"])
    #expect(try shell("$syrinx render - out.wav </dev/null").code == 65)
    #expect(try shell("echo text | $syrinx render - out.wav").errors.contains("standard input"))
    #expect(try shell("$syrinx render in.wav - >/dev/full").code == 73)
    #expect(folder.names == ["in.wav"])
  }

  @Test func `a pipe whose header has no length is read to its end`() throws {
    let noise = Tone.noise(frames: 30_000)
    try write("in.wav", noise)
    // As written by ffmpeg and sox to a pipe: the highest number for both lengths.
    var bytes = try folder.bytes("in.wav")
    let data = try #require(bytes.range(of: Data("data".utf8))).upperBound
    for place in [4, data] {
      bytes.replaceSubrange(place..<(place + 4), with: [255, 255, 255, 255])
    }
    try bytes.write(to: folder.url.appendingPathComponent("endless.wav"))
    let (code, errors) = try shell("cat endless.wav | $syrinx render - out.wav")
    #expect(code == 0 && errors.isEmpty, "\(errors)")
    #expect(try SoundFixture.read(folder.path("out.wav")).left == noise)
  }

  @Test func `several files are rendered into a folder, under their names`() throws {
    let sounds = (1...3).map { Tone.noise(frames: 5000, seed: $0) }
    try write("a.wav", sounds[0])
    try SoundFixture.write(folder.path("b.flac"), left: sounds[1])
    try write("in.wav", sounds[2])
    try FileManager.default.moveItem(atPath: folder.path("in.wav"), toPath: folder.path("c.sound"))
    for name in ["out", "other"] {
      try FileManager.default.createDirectory(
        atPath: folder.path(name), withIntermediateDirectories: false)
    }
    let (code, errors) = try shell("$syrinx render a.wav b.flac c.sound out --set /live/gain=0")
    #expect(code == 0 && errors.isEmpty, "\(errors)")
    #expect(
      try FileManager.default.contentsOfDirectory(atPath: folder.path("out")).sorted()
        == ["a.wav", "b.flac", "c.wav"])
    #expect(try SoundFixture.read(folder.path("out/a.wav")).left == sounds[0])
    #expect(try SoundFixture.read(folder.path("out/c.wav")).left == sounds[2])
    // Also a single one, and a failure does not stop the others.
    #expect(try shell("$syrinx render a.wav out/").code == 0)
    let failed = try shell("$syrinx render none.wav a.wav other")
    #expect(failed.code == 66 && failed.errors.hasSuffix("syrinx: 1 of 2 failed\n"))
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path("other")) == ["a.wav"])
    for (line, words) in [
      ("a.wav out/a.wav other", "would both become other/a.wav"), ("- other", "has no name"),
      ("out/a.wav out", "is IN; OUT must be another file"),
    ] {
      let (code, errors) = try shell("$syrinx render \(line)")
      #expect(code == 64 && errors.contains(words), "\(errors)")
    }
  }
}
