import DSP
import Foundation
import TestSupport
import Testing

@testable import InstrumentFiles

@Suite struct FolderInstrumentTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func write(_ names: String...) throws {
    for name in names { try SoundFixture.write(folder.path(name), [Tone.noise(frames: 500)]) }
  }

  @Test(arguments: [
    ("A4.wav", 69), ("piano_C#3.wav", 49), ("60.wav", 60), ("Piano 2 Bb-1.wav", 10),
    ("violin-e5-loud.wav", 76), ("c4_72.wav", 60), ("take 3 - G9.WAV", 127), ("a0.wav", 21),
    ("F♯2.wav", 42), ("mf_db4_rr1.wav", 61),
  ])
  func `a file name contains its note`(name: String, key: Int) {
    #expect(WrittenKey.key(inFile: name) == key)
  }

  @Test(arguments: [
    "piano.wav", "h3.wav", "128.wav", "c10.wav", "g#9.wav", ".wav", "c.wav", "c+4.wav",
  ])
  func `a file name without a note has none`(name: String) {
    #expect(WrittenKey.key(inFile: name) == nil)
  }

  @Test func `each note plays the nearest sample`() throws {
    try write("x_C4.wav", "x_C5.wav", "x_G4.wav")
    try LoopedWave.write(folder.path("x_36.wav"), frames: 1000, loop: 100..<900)
    let read = try InstrumentFolder.read(folder.url.path)
    #expect(read.regions.map(\.rootKey) == [36, 60, 67, 72])
    #expect(read.regions.map(\.keys) == [0...48, 49...63, 64...69, 70...127])
    #expect(
      read.regions.map { read.samples[$0.sample].name }
        == ["x_36.wav", "x_C4.wav", "x_G4.wav", "x_C5.wav"])
    #expect(read.regions.map(\.loopMode) == [.continuous, .none, .none, .none])
    #expect(read.regions[0].loop == 100..<900 && read.faults.isEmpty)
    #expect(try read.samples[read.regions[1].sample].read() == [Tone.noise(frames: 500)])
  }

  @Test func `unplayable files are reported, and a folder of nothing else is rejected`() throws {
    let fault = #expect(throws: InstrumentFault.self) {
      try InstrumentFolder.read(folder.url.path)
    }
    #expect(fault?.kind == .missing && fault?.description.contains("\n") == false)
    #expect(throws: InstrumentFault.self) { try InstrumentFolder.read(folder.path("none")) }
    try write("C4.wav", "60.wav", "hello.wav")
    try Data("x".utf8).write(to: URL(fileURLWithPath: folder.path("D4.wav")))
    let read = try InstrumentFolder.read(folder.url.path)
    #expect(read.regions.map(\.keys) == [0...127] && read.faults.count == 3)
    #expect(read.faults[0] == "C4.wav has the same note as 60.wav")
  }
}
