import DSP
import Foundation
import SoundFiles
import TestSupport
import Testing

@Suite struct WaveWriterTests {
  private let folder: TemporaryFolder
  private let path: String

  init() throws {
    folder = try TemporaryFolder()
    path = folder.path("take.wav")
  }

  // MARK: - Round trips

  @Test(arguments: [true, false], [1, 7, 4096, 10_001])
  func `written sound survives a round trip bit by bit`(isFine: Bool, block: Int) throws {
    let steps: Float = 8_388_608
    var (left, right) = (Tone.noise(frames: 10_001), Tone.noise(frames: 10_001, seed: 2))
    (left[0], left[1], right[2]) = (-1, 1 - 1 / steps, 1 / steps)
    if !isFine {
      left = left.map { ($0 * steps).rounded() / steps }
      right = right.map { ($0 * steps).rounded() / steps }
    }
    try WaveFixture.write(path, left, right, rate: 44_100, isFine: isFine, block: block)
    let sound = try SoundFixture.read(path)
    #expect(sound.left == left && sound.right == right && sound.rate == 44_100)
    let reader = try SoundReader(path)
    #expect(reader.isFine == isFine && reader.expectedFrames == 10_001 && !reader.isCutOff)
    let layout = try WaveLayout(path)
    #expect(layout.frames == 10_001 && layout.rate == 44_100 && layout.channels == 2)
    #expect(layout.isFloat == isFine)
  }

  @Test func `integers clip at full scale, and NaN becomes silence`() throws {
    try WaveFixture.write(path, [2, -2, .nan, .infinity], isFine: false)
    let most: Float = 1 - 1 / 8_388_608
    #expect(try SoundFixture.read(path).left == [most, -1, 0, most])
  }

  @Test(arguments: [true, false])
  func `a file beyond 32-bit lengths is RF64`(isFine: Bool) throws {
    let sound = Tone.noise(frames: 30_000).map { ($0 * 8_388_608).rounded() / 8_388_608 }
    // With a simulated limit of 100,000 bytes.
    for (frames, mark) in [(10_000, "RIFF"), (30_000, "RF64")] {
      try? FileManager.default.removeItem(atPath: path)
      var writer = try WaveWriter(path, rate: 48_000, isFine: isFine, longest: 100_000)
      try WaveFixture.append(Array(sound[..<frames]), to: &writer)
      try writer.keepCurrent()
      #expect(try SoundFixture.read(path).left == Array(sound[..<frames]))
      try writer.finish(tags: WaveTags(metadata: "{}", title: "long"))
      #expect(try folder.bytes("take.wav").prefix(4) == Data(mark.utf8))
      #expect(try SoundFixture.read(path).left == Array(sound[..<frames]))
      #expect(try !SoundReader(path).isCutOff)
      #expect(try WaveTags.read(path).title == "long")
      #expect(try WaveLayout(path).frames == frames)
    }
  }

  @Test func `an existing file is not overwritten`() throws {
    try Data("former".utf8).write(to: URL(fileURLWithPath: path))
    let error = #expect(throws: SoundFileError.self) {
      _ = try WaveWriter(path, rate: 48_000, isFine: true)
    }
    #expect(error?.kind == .cannotWrite)
    #expect(try folder.bytes("take.wav") == Data("former".utf8))
  }

  // MARK: - Crashes

  @Test(arguments: [true, false])
  func `after a kill the durable part is there, and all of it after a repair`(isFine: Bool)
    async throws
  {
    let path = path
    await #expect(processExitsWith: .signal(SIGKILL)) {
      [path = path as String, isFine = isFine as Bool] in
      var writer = try WaveWriter(
        path, rate: 48_000, isFine: isFine, tags: WaveTags(metadata: "{\"title\":\"begun\"}"))
      try WaveFixture.append(Tone.constant(0.5, frames: 5000), to: &writer)
      try writer.keepCurrent()
      try WaveFixture.append(Tone.constant(-0.5, frames: 777), to: &writer)
      kill(getpid(), SIGKILL)
    }
    // A partially written frame.
    let file = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
    try file.seekToEnd()
    try file.write(contentsOf: Data([1, 2, 3]))
    try file.close()
    #expect(try WaveLayout(path).frames == 5000)
    #expect(try SoundFixture.read(path).left.prefix(5000) == Tone.constant(0.5, frames: 5000)[...])
    #expect(try WaveRepair.repair(path) == 5777)
    #expect(
      try SoundFixture.read(path).left
        == Tone.constant(0.5, frames: 5000) + Tone.constant(-0.5, frames: 777))
    #expect(try !SoundReader(path).isCutOff)
    #expect(try WaveTags.read(path).metadata == "{\"title\":\"begun\"}")
    let repaired = try folder.bytes("take.wav")
    #expect(try WaveRepair.repair(path) == 5777)
    #expect(try folder.bytes("take.wav") == repaired)
  }

  @Test func `a truncated file is repaired to its remaining frames`() throws {
    let sound = Tone.noise(frames: 1000)
    try WaveFixture.write(path, sound, tags: WaveTags(metadata: "{}", title: "t", loop: [1, 2, 3]))
    let whole = try folder.bytes("take.wav")
    let start = try #require(whole.range(of: Data("data".utf8))).upperBound + 4
    for length in stride(from: whole.count - 1, to: start - 1, by: -31) {
      try whole.prefix(length).write(to: URL(fileURLWithPath: path))
      // Within the tags there is nothing to repair, and all of the sound can be read.
      if length > start + 8000 { continue }
      #expect(try WaveRepair.repair(path) == (length - start) / 8)
      #expect(try SoundFixture.read(path).left == Array(sound[..<((length - start) / 8)]))
      #expect(try !SoundReader(path).isCutOff)
    }
  }

  @Test func `a file repaired beyond 32-bit lengths is RF64`() throws {
    let sound = Tone.noise(frames: 30_000)
    func begin() throws {
      var writer = try WaveWriter(path, rate: 48_000, isFine: true, longest: 100_000)
      try writer.keepCurrent()
      try WaveFixture.append(sound, to: &writer)
      // Its state before the header was updated.
      let head = try folder.bytes("take.wav").prefix(100)
      _ = consume writer
      let file = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
      try file.write(contentsOf: head)
    }
    try begin()
    #expect(try WaveLayout(path).frames == 0)
    #expect(try WaveRepair.repair(path, longest: 100_000) == 30_000)
    #expect(try folder.bytes("take.wav").prefix(4) == Data("RF64".utf8))
    #expect(try SoundFixture.read(path).left == sound)
  }

  // MARK: - Full disk

  @Test func `a full disk leaves a valid file and is reported in one line`() async throws {
    let path = path
    // The file size limit of the process simulates a full disk.
    await #expect(processExitsWith: .success) { [path = path as String] in
      signal(SIGXFSZ, SIG_IGN)
      var limit = rlimit(rlim_cur: 50_001, rlim_max: 50_001)
      setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit)
      var writer = try WaveWriter(
        path, rate: 48_000, isFine: false, tags: WaveTags(metadata: "{\"a\":1}"))
      for _ in 0..<2 {
        do throws(SoundFileError) {
          for _ in 0..<20 {
            try WaveFixture.append(Tone.constant(0.5, frames: 1000), to: &writer)
          }
          exit(1)
        } catch {
          guard error.kind == .cannotWrite, error.description.hasSuffix(": File too large"),
            !error.description.contains("\n")
          else { exit(2) }
        }
      }
      guard writer.frames > 8000, try WaveLayout(path).frames == writer.frames else { exit(3) }
      do throws(SoundFileError) {
        try writer.finish(tags: WaveTags(metadata: "{\"a\":2}"))
        exit(4)
      } catch {
        guard error.kind == .cannotWrite else { exit(5) }
      }
    }
    let frames = try WaveLayout(path).frames
    #expect(try SoundFixture.read(path).left == Tone.constant(0.5, frames: frames))
    #expect(try !SoundReader(path).isCutOff)
    #expect(try WaveTags.read(path).metadata == "{\"a\":1}")
  }
}
