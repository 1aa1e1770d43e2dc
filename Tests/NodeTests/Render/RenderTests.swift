import Foundation
import TestSupport
import Testing

/// `syrinx render`, which needs no server.
///
/// Serialized, to leave the machine to the tests that play.
@Suite(.serialized, .hangLimit) struct RenderTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  /// Renders a file of the folder into another one, without errors or output.
  @discardableResult
  private func render(
    _ input: String, _ output: String, _ options: String..., saying: String? = nil,
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws -> (left: [Float], right: [Float], rate: Int) {
    let result = try NodeProcess.run(
      ["render", folder.path(input), folder.path(output)] + options)
    #expect(result.code == 0, "\(result.errors)", sourceLocation: sourceLocation)
    #expect(result.output.isEmpty, sourceLocation: sourceLocation)
    if let saying {
      #expect(result.errors.contains(saying), "\(result.errors)", sourceLocation: sourceLocation)
    } else {
      // No progress either: there is no terminal.
      #expect(result.errors.isEmpty, "\(result.errors)", sourceLocation: sourceLocation)
    }
    return try SoundFixture.read(folder.path(output))
  }

  private func write(
    _ name: String, _ channels: [Float]..., rate: Int = 48_000,
    samples: SoundFixture.Samples = .float32
  ) throws {
    try SoundFixture.write(folder.path(name), channels, rate: rate, samples: samples)
  }

  // MARK: - The sound

  @Test(arguments: [8000, 22_050, 44_100, 48_000, 96_000, 192_000])
  func `without settings the sound is unchanged, bit for bit`(rate: Int) throws {
    let (left, right) = (Tone.noise(frames: 30_001), Tone.noise(frames: 30_001, seed: 2))
    try write("in.wav", left, right, rate: rate)
    for output in ["out.wav", "out.aiff", "out.caf"] {
      let sound = try render("in.wav", output)
      #expect(sound.left == left && sound.right == right && sound.rate == rate)
    }
  }

  @Test func `16 bits become 24, bit for bit`() throws {
    let sound = Tone.noise(amplitude: 0.9, frames: 20_000).map { ($0 * 32_768).rounded() / 32_768 }
    try write("in.wav", sound, sound, samples: .integer16)
    for output in ["out.wav", "out.flac"] {
      #expect(try render("in.wav", output).left == sound)
    }
    // 3 bytes per sample, and a header.
    #expect(try folder.bytes("out.wav").count - 20_000 * 6 < 100)
  }

  @Test func `an empty file stays empty, and a short one short`() throws {
    try write("in.wav", [])
    #expect(try render("in.wav", "out.wav", saying: "contains no sound").left.isEmpty)
    for frames in [1, 1023, 1024, 1025, 2048] {
      let sound = Tone.noise(frames: frames)
      try write("in.wav", sound, sound)
      #expect(try render("in.wav", "out.wav").left == sound)
    }
  }

  @Test func `a setting without a time applies from the first sample on`() throws {
    try write("in.wav", Tone.constant(0.5, frames: 20_000))
    let sound = try render("in.wav", "out.wav", "--set", "/live/gain=-6", "--set", "/out/gain=1")
    // Gains are floats: the last bits may differ by rounding.
    let expected = 0.5 * pow(10, Float(-5) / 20)
    #expect(sound.left.allSatisfy { abs($0 - expected) < 1e-6 })
    #expect(Set(sound.left).count == 1 && sound.left == sound.right)
  }

  @Test(arguments: [0.0, 0.001, 0.1, 0.5, 0.7531, 1.2345])
  func `a setting with a time applies from its frame on`(seconds: Double) throws {
    let input = Tone.constant(0.5, frames: 70_000)
    try write("in.wav", input, rate: 44_100)
    let sound = try render("in.wav", "out.wav", "--set", "/live/gain=-6@\(seconds)")
    let frame = Int((seconds * 44_100).rounded())
    #expect(Measure.firstDifference(sound.left, input) == frame)
    #expect(abs(sound.left.last! - 0.25) < 0.001)
    if frame == 0 {
      // A setting at the first frame applies before it.
      #expect(Set(sound.left).count == 1)
    } else {
      #expect(Measure.roughness(sound.left) < 0.001, "it ramps, as it does live")
    }
  }

  @Test func `a later setting does not affect the start`() throws {
    let sound = Tone.sine(440, frames: 30_000)
    try write("in.wav", sound, sound)
    // The other shifter has a higher latency, and takes over by a crossfade when its buffers are
    // full: not before.
    let changed = try render("in.wav", "out.wav", "--set", "/pitch/engine=studio@0.001")
    #expect(Measure.firstDifference(changed.left[..<300], sound[..<300]) == nil)
    #expect(Measure.firstDifference(changed.left[9600...], sound[9600...]) != nil)
  }

  @Test func `a preset is loaded and the chain reset at a time`() throws {
    let sound = Tone.sine(440, frames: 48_000)
    try write("in.wav", sound, sound)
    let loaded = try render("in.wav", "out.wav", "--set", "/preset=chipmunk@0.5")
    #expect(Measure.firstDifference(loaded.left[..<24_000], sound[..<24_000]) == nil)
    #expect(Measure.firstDifference(loaded.left[24_000...], sound[24_000...]) != nil)
    let slow = try render(
      "in.wav", "out.wav", "--set", "/stretch/rate=0.5", "--set", "/chain/reset=1@0.9")
    // After half a second of tone at half the rate it jumps to the present, which is a tone, too.
    #expect(Measure.peak(slow.left[44_000...]) > 0.1)
    try render("in.wav", "out.wav", "--set", "/chain/reset=0@0.1")
    #expect(
      try NodeProcess.run(
        ["render", folder.path("in.wav"), folder.path("out.wav"), "--set", "/preset=none@1"]
      ).code == 66)
  }

  @Test func `mute lasts from one time to the other`() throws {
    let input = Tone.noise(frames: 144_000)
    try write("in.wav", input)
    #expect(try render("in.wav", "out.wav", "--set", "/mute=1").left.allSatisfy { $0 == 0 })
    let sound = try render(
      "in.wav", "out.wav", "--set", "/mute=1@1", "--set", "/mute=0@2"
    ).left
    #expect(sound[..<48_000] == input[..<48_000])
    // A glide ends within 20 times its time constant of 3 ms, and after 40 bit for bit.
    #expect(sound[52_000..<96_000].allSatisfy { $0 == 0 })
    #expect(sound[102_000...] == input[102_000...])
  }

  @Test func `settings for one time are applied in the order given`() throws {
    try write("in.wav", Tone.constant(0.5, frames: 60_000))
    let sound = try render(
      "in.wav", "out.wav", "--set", "/mute=1@1", "--set", "/mute=0@1", "--set", "/mute=1",
      "--set", "/mute=0")
    #expect(Set(sound.left) == [0.5])
  }

  @Test func `the limiter acts as it does live, and is reported`() throws {
    try write("in.wav", Tone.sine(440, amplitude: 2, frames: 48_000))
    let sound = try render(
      "in.wav", "out.wav", saying: "the limiter reduced the gain by up to 6.1 dB")
    #expect(Measure.peak(sound.left) <= 0.988_554)
    #expect(Measure.peak(sound.left) > 0.98)
  }

  @Test func `NaN becomes silence, and is reported`() throws {
    var input = Tone.constant(0.5, frames: 5000)
    (input[2000], input[3000]) = (.nan, .infinity)
    try write("in.wav", input, input)
    let sound = try render(
      "in.wav", "out.wav", saying: "4 samples were NaN or infinite, and were silenced")
    (input[2000], input[3000]) = (0, 0)
    #expect(sound.left == input)
  }

  @Test func `the result is the same each time, however busy the machine`() async throws {
    try write("in.wav", Tone.noise(frames: 200_000), Tone.noise(frames: 200_000), rate: 44_100)
    let folder = folder
    for ending in ["wav", "flac", "mp3"] {
      let runs = ["a", "b", "c", "d"].map { "\($0).\(ending)" }
      try await withThrowingTaskGroup { group in
        for name in runs {
          let paths = [folder.path("in.wav"), folder.path(name)]
          group.addTask {
            let options = ["--set", "/live/gain=-3@1.5", "--rate", "48000", "--tail", "0.5"]
            let result = try NodeProcess.run(["render"] + paths + options)
            #expect(result.code == 0)
          }
        }
        try await group.waitForAll()
      }
      let first = try folder.bytes(runs[0])
      #expect(first.count > 10_000)
      for name in runs { #expect(try folder.bytes(name) == first) }
    }
  }

  // MARK: - Rates, channels, length

  @Test func `mono plays on both sides, and of more channels the first two`() throws {
    let channels = (1...3).map { Tone.noise(frames: 5000, seed: $0) }
    try write("1.wav", channels[0])
    let mono = try render("1.wav", "out.wav")
    #expect(mono.left == channels[0] && mono.right == channels[0])
    try write("3.wav", channels[0], channels[1], channels[2])
    let many = try render("3.wav", "out.wav", saying: "has 3 channels; only the first two are used")
    #expect(many.left == channels[0] && many.right == channels[1])
  }

  @Test func `it renders and writes at the requested sample rate`() throws {
    try write("in.wav", Tone.sine(997, frames: 44_100, sampleRate: 44_100), rate: 44_100)
    let sound = try render("in.wav", "out.wav", "--rate", "48000")
    #expect(sound.rate == 48_000 && sound.left.count == 48_000)
    let middle = sound.left[4800..<43_200]
    #expect(Measure.residue(middle, hertz: 997, sampleRate: 48_000) < -140)
    // Times of settings, too, are in seconds, not in samples.
    let timed = try render("in.wav", "out.wav", "--rate", "48000", "--set", "/mute=1@0.5")
    #expect(Measure.firstDifference(timed.left, sound.left) == 24_000)
  }

  @Test func `unsupported sample rates become supported ones`() throws {
    for (rate, expected) in [(384_000, 192_000), (4000, 8000)] {
      try write(
        "in.wav", Tone.sine(440, frames: rate / 2, sampleRate: Double(rate)), rate: rate)
      let sound = try render("in.wav", "out.wav", saying: "converted to \(expected) Hz")
      #expect(sound.rate == expected && sound.left.count == expected / 2)
    }
    try write("in.wav", Tone.sine(440, frames: 44_100), rate: 44_100)
    let opus = try render(
      "in.wav", "out.opus", saying: "has 48000 Hz, since its format does not support 44100 Hz")
    #expect(opus.rate == 48_000 && opus.left.count == 48_000)
  }

  @Test func `the tail has the requested length`() throws {
    let input = Tone.noise(frames: 10_000)
    try write("in.wav", input)
    let sound = try render("in.wav", "out.wav", "--tail", "0.25")
    #expect(sound.left == input + Tone.constant(0, frames: 12_000))
    #expect(try render("in.wav", "out.wav", "--tail", "auto").left == input)
  }

  // MARK: - Faults

  @Test(arguments: [
    (["in.wav"], "missing files"), ([], "missing files"),
    (["in.wav", "out.wav", "y.wav"], "need an output folder"),
    (["in.wav", "out.txt"], "unknown extension"),
    (["in.wav", "in.wav"], "is IN; OUT must"), (["in.wav", "./x/../in.wav"], "is IN; OUT must"),
    (["in.wav", "out.wav", "--rate", "7999"], "8000 to 192000"),
    (["in.wav", "out.wav", "--rate", "x"], "8000 to 192000"),
    (["in.wav", "out.wav", "--tail", "-1"], "--tail takes seconds"),
    (["in.wav", "out.wav", "--tail", "inf"], "--tail takes seconds"),
    (
      ["in.wav", "out.wav", "--set", "/live/gain=99"],
      "--set: /live/gain: 99 is out of range (-90 to 24 dB)"
    ),
    (["in.wav", "out.wav", "--set", "/live/gain=99@1"], "99 is out of range"),
    (["in.wav", "out.wav", "--set", "/live/gain=0@-1"], "0 to 86400 seconds; got \"-1\""),
    (["in.wav", "out.wav", "--set", "/live/gain=0@"], "0 to 86400 seconds; got \"\""),
    (["in.wav", "out.wav", "--set", "/live/gain=0@nan"], "got \"nan\""),
    (["in.wav", "out.wav", "--set", "/nothing=1"], "unknown address \"/nothing\""),
    (["in.wav", "out.wav", "--set", "/midi/channel=2"], "/midi/channel has no effect"),
    (["in.wav", "out.wav", "--set", "/phrase/play=1@0.5"], "/phrase/play has no effect"),
    (["in.wav", "out.wav", "--set", "/settings/startup=1"], "/settings/startup has no effect"),
    (["in.wav", "out.wav", "--set", "/location=52.5 13.4"], "/location has no effect"),
    (["in.wav", "out.wav", "--set", "/music/gain=-3"], "/music/gain has no effect"),
    (["in.wav", "out.wav", "--set", "/ping=1"], "/ping has no effect"),
    (["in.wav", "out.wav", "--set", "/player/state=1"], "no value that can be set"),
    (["in.wav", "out.wav", "--port", "8000"], "unknown option"),
  ])
  func `wrong usage is one line and exit code 64, and writes nothing`(
    arguments: [String], line: String
  ) throws {
    try write("in.wav", Tone.constant(0, frames: 100))
    try FileManager.default.createDirectory(
      atPath: folder.path("x"), withIntermediateDirectories: false)
    let files = arguments.prefix { !$0.hasPrefix("-") }
    try fails(
      files.map(folder.path) + arguments.dropFirst(files.count), code: 64, mentioning: line)
    #expect(folder.names == ["in.wav", "x"])
  }

  @Test func `missing files, files without sound, and unwritable ones have exit codes`() throws {
    try write("in.wav", Tone.constant(0, frames: 100))
    try Data("text".utf8).write(to: folder.url.appendingPathComponent("text.wav"))
    try fails([folder.path("no.wav"), folder.path("out.wav")], code: 66, mentioning: "no.wav")
    try fails([folder.path("text.wav"), folder.path("out.wav")], code: 65, mentioning: "text.wav")
    try fails([folder.path("in.wav"), folder.path("no/out.wav")], code: 73, mentioning: "no/out")
    #expect(folder.names == ["in.wav", "text.wav"])
  }

  private func fails(
    _ arguments: [String], code: Int32, mentioning text: String,
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let result = try NodeProcess.run(["render"] + arguments)
    #expect(result.code == code, sourceLocation: sourceLocation)
    #expect(result.output.isEmpty, sourceLocation: sourceLocation)
    let lines = result.errors.split(separator: "\n")
    #expect(
      lines.count == 1 && result.errors.contains(text), "\(lines)", sourceLocation: sourceLocation)
  }

  @Test func `a file that breaks off in the middle leaves the old output`() throws {
    try SoundFixture.write(folder.path("in.flac"), left: Tone.noise(frames: 100_000))
    try folder.bytes("in.flac").prefix(200_000).write(
      to: folder.url.appendingPathComponent("in.flac"))
    try Data("former".utf8).write(to: folder.url.appendingPathComponent("out.wav"))
    try fails(
      [folder.path("in.flac"), folder.path("out.wav")], code: 65, mentioning: "is damaged after")
    #expect(folder.names == ["in.flac", "out.wav"])
    #expect(try folder.bytes("out.wav") == Data("former".utf8))
  }

  @Test func `a file that can't be written completely leaves nothing`() throws {
    let input = Tone.noise(frames: 100_000)
    try write("in.wav", input, input)
    for ending in ["wav", "flac", "ogg", "caf"] {
      let process = Process()
      process.executableURL = URL(fileURLWithPath: "/bin/bash")
      // 20 KiB, as a full disk is hard to set up.
      process.arguments = [
        "-c", "ulimit -f 20; exec \"$0\" \"$@\"", NodeProcess.binary.path, "render",
        folder.path("in.wav"), folder.path("out.\(ending)"),
      ]
      let errors = Pipe()
      process.standardError = errors
      try process.run()
      let said = String(
        decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
      process.waitUntilExit()
      #expect(process.terminationReason == .exit && process.terminationStatus == 73)
      #expect(said.hasSuffix("File too large\n"), "\(said)")
      #expect(folder.names == ["in.wav"])
    }
  }

  @Test func `a truncated file is rendered as far as it goes, and reported`() throws {
    let input = Tone.noise(frames: 48_000)
    try write("in.wav", input, samples: .float32)
    try folder.bytes("in.wav").dropLast(24_000 * 4).write(
      to: folder.url.appendingPathComponent("in.wav"))
    let sound = try render("in.wav", "out.wav", saying: "it has only the first 0.5 s")
    #expect(sound.left == Array(input[..<24_000]))
  }

  @Test func `a setting that is never reached is reported`() throws {
    try write("in.wav", Tone.constant(0.5, frames: 48_000))
    try render(
      "in.wav", "out.wav", "--set", "/mute=1@10", saying: "/mute=1@10 was never reached")
  }

  // MARK: - Terminal

  @Test(arguments: [SIGINT, SIGTERM])
  func `a signal stops it, and leaves the old output`(number: Int32) throws {
    try write(
      "in.wav", Tone.constant(0.1, frames: 5_000_000), rate: 8000, samples: .integer16)
    try Data("former".utf8).write(to: folder.url.appendingPathComponent("out.wav"))
    let process = Process()
    process.executableURL = NodeProcess.binary
    process.arguments = ["render", folder.path("in.wav"), folder.path("out.wav")]
    let errors = Pipe()
    process.standardError = errors
    try process.run()
    try waitUntil("the output file exists", every: 0.0005) {
      folder.names.count == 3 || !process.isRunning
    }
    kill(process.processIdentifier, number)
    let said = String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    #expect(process.terminationReason == .uncaughtSignal && process.terminationStatus == number)
    #expect(said.hasPrefix("syrinx: interrupted; ") && said.hasSuffix("is unchanged\n"))
    #expect(folder.names == ["in.wav", "out.wav"])
    #expect(try folder.bytes("out.wav") == Data("former".utf8))
  }

  /// Renders files on a terminal, with enough work for several updates of the display on any machine.
  ///
  /// Returns what the terminal received.
  private func onTerminal(_ files: String...) throws -> String {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/script")
    let words =
      [NodeProcess.binary.path, "render"] + files
      + ["--set", "/pitch/engine=studio", "--set", "/pitch/semitones=5", "--set", "/reverb/on=1"]
    process.arguments = ["-qec", words.map { "'\($0)'" }.joined(separator: " "), "/dev/null"]
    let output = Pipe()
    process.standardOutput = output
    process.standardInput = FileHandle.nullDevice
    try process.run()
    let shown = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    #expect(process.terminationStatus == 0)
    return shown
  }

  @Test func `a terminal shows progress, and is restored`() throws {
    try write(
      "in.wav", Tone.constant(0.1, frames: 5_000_000), rate: 8000, samples: .integer16)
    let shown = try onTerminal(folder.path("in.wav"), folder.path("out.wav"))
    #expect(shown.contains(" %, ") && shown.contains(" x real time"))
    #expect(shown.hasSuffix("\r\u{1B}[K") && !shown.contains("\n"))
  }

  @Test func `with several files, the bar is the share of all of them`() throws {
    for name in ["a.wav", "b.wav"] {
      try write(name, Tone.constant(0.1, frames: 2_500_000), rate: 8000, samples: .integer16)
    }
    try FileManager.default.createDirectory(
      atPath: folder.path("out"), withIntermediateDirectories: false)
    let shown = try onTerminal(
      folder.path("a.wav"), folder.path("b.wav"), folder.url.appendingPathComponent("out").path)
    let shares = shown.matches(of: /([12]) of 2 [█░]+ ([0-9]+) %/).map { Int($0.2) ?? -1 }
    #expect(shares == shares.sorted())
    #expect(shares.contains { $0 < 50 } && shares.contains { $0 > 50 }, "\(shares)")
  }
}
