import DSP
import Foundation
import SoundFiles
import TestSupport
import Testing

/// What files of sessions have beyond those of takes: one channel, a place in time, markers, and holes for silence.
@Suite struct WaveSessionTests {
  private let folder: TemporaryFolder
  private let path: String

  init() throws {
    folder = try TemporaryFolder()
    path = folder.path("track.wav")
  }

  private func chunk(_ name: String) throws -> Data? {
    let bytes = try folder.bytes("track.wav")
    var place = 12
    while place + 8 <= bytes.count {
      let count = Int(WaveChunk.number(bytes, at: place + 4) as UInt32)
      if bytes.dropFirst(place).prefix(4) == Data(name.utf8) {
        return Data(bytes.dropFirst(place + 8).prefix(count))
      }
      place += 8 + count + count % 2
    }
    return nil
  }

  private func append(_ sound: [Float], to writer: inout WaveWriter) throws {
    try WaveFixture.append(sound, to: &writer)
  }

  @Test(arguments: [true, false], [999, 1000])
  func `a track of one channel has its place in time, and markers`(isFine: Bool, frames: Int) throws
  {
    let sound = Tone.noise(frames: frames).map { ($0 * 8_388_608).rounded() / 8_388_608 }
    var writer = try WaveWriter(
      path, rate: 48_000, isFine: isFine, isMono: true,
      place: WaveBroadcast(
        description: "click", date: "2026-11-29", time: "21:04:05", frame: 3_642_240_123))
    try append(sound, to: &writer)
    try writer.finish(
      cues: WaveCues([.init(10, "Verse"), .init(500, "Refrain")]),
      beat: WaveBeat(round: 1000, tempo: 120, beatsPerBar: 4), rate: 48_000)
    let reader = try SoundFixture.read(path)
    #expect(reader.left == sound && reader.right == sound)
    let layout = try WaveLayout(path)
    #expect(layout.channels == 1 && layout.frames == frames)
    let place = try #require(try chunk("bext"))
    #expect(place.count == 602)
    #expect(String(decoding: place[320..<338], as: UTF8.self) == "2026-11-2921:04:05")
    #expect(WaveChunk.number(place[338...], at: 0) as UInt64 == 3_642_240_123)
    let cues = try #require(try chunk("cue "))
    #expect(cues.count == 4 + 2 * 24)
    #expect(WaveChunk.number(cues[28...], at: 4) as UInt32 == 500)
    let names = try #require(try chunk("LIST"))
    #expect(names.range(of: Data("Refrain".utf8)) != nil)
    #expect(try chunk("acid") != nil)
  }

  @Test func `silence takes no space, and is read as silence`() throws {
    let noise = Tone.noise(frames: 8192).map { ($0 * 8_388_608).rounded() / 8_388_608 }
    var writer = try WaveWriter(path, rate: 48_000, isFine: false)
    writer.isSparse = true
    let silence = Tone.constant(0, frames: 480_000)
    for part in [silence, noise, silence] { try append(part, to: &writer) }
    let cut = silence.count + noise.count + 1000
    try writer.cut(toFrames: cut)
    try writer.finish(cues: WaveCues([]), beat: nil, rate: 48_000)
    let sound = try SoundFixture.read(path).left
    #expect(sound.count == cut && Array(sound[480_000..<488_192]) == noise)
    #expect(sound[..<480_000].allSatisfy { $0 == 0 })
    var status = stat()
    #expect(stat(path, &status) == 0)
    // The noise, and blocks at its edges.
    #expect(Int(status.st_blocks) * 512 < 8192 * 6 + 40_000)
  }

  @Test func `an unfinished file is cut to a number of frames`() throws {
    do {
      var writer = try WaveWriter(path, rate: 48_000, isFine: false)
      try append(Tone.noise(frames: 5000), to: &writer)
      try writer.countCurrent()
    }
    try WaveRepair.cut(path, toFrames: 1234)
    #expect(try SoundFixture.read(path).left.count == 1234)
    #expect(try !SoundReader(path).isCutOff)
    try WaveRepair.cut(path, toFrames: 5000)
    #expect(try WaveLayout(path).frames == 1234)
  }

  @Test(arguments: [999, 1000], [Int(UInt32.max), 2000])
  func `an interrupted file is finished as its writer would`(frames: Int, longest: Int) throws {
    let cues = WaveCues([.init(10, "Verse"), .init(500, "Refrain: äöü")])
    let beat = WaveBeat(round: 1000, tempo: 120, beatsPerBar: 4)
    let other = folder.path("other.wav")
    for path in [path, other] {
      var writer = try WaveWriter(path, rate: 48_000, isFine: false, isMono: true, longest: longest)
      try append(Tone.noise(frames: frames), to: &writer)
      if path == other {
        try writer.countCurrent()
      } else {
        try writer.finish(cues: cues, beat: beat, rate: 48_000)
      }
    }
    for _ in 0..<2 {
      try WaveRepair.finish(other, cues: cues, beat: beat, longest: longest)
      let (finished, repaired) = (try folder.bytes("track.wav"), try folder.bytes("other.wav"))
      #expect(finished == repaired)
      #expect(try WaveFixture.cues(of: other) == cues)
    }
  }
}
