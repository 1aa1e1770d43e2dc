import DSP
import SoundFiles
import TestSupport
import Testing

@Suite struct EndingTests {
  private static let rate = 8000

  /// Passes a whole sound to an ending and returns the output.
  private func end(_ length: Ending.Length, _ sound: [Float]) throws -> [Float] {
    let folder = try TemporaryFolder()
    var ending = Ending(length, rate: Self.rate)
    var writer = try SoundWriter(folder.path("out.wav"), rate: Self.rate, isFine: true)
    let block = StereoBuffer(frames: 1000)
    for start in stride(from: 0, to: sound.count, by: 1000) where !ending.isDone {
      for frame in 0..<1000 {
        // Sound in a single channel must suffice.
        block.stereo.left[frame] = 0
        block.stereo.right[frame] = sound[start + frame]
      }
      try ending.write(block.stereo, frames: 1000, to: &writer)
    }
    let isDone = ending.isDone
    #expect(isDone)
    try writer.finish()
    return try SoundFixture.read(folder.path("out.wav")).right
  }

  @Test func `a fixed length is exact to the frame, silent or not`() throws {
    let sound = Tone.constant(0.5, frames: 2000) + Tone.constant(0, frames: 8000)
    #expect(try end(.seconds(0.75), sound) == Array(sound[..<6000]))
    #expect(try end(.seconds(0.000_2), sound) == Array(sound[..<2]))
    let none = Ending(.seconds(0), rate: Self.rate)
    let isDone = none.isDone
    #expect(isDone)
  }

  @Test func `the decay is written, and the silence after it is dropped`() throws {
    let sound = Tone.constant(0.5, frames: 2500) + Tone.constant(0, frames: 100_500)
    #expect(try end(.untilSilent, sound) == Array(sound[..<2500]))
    #expect(try end(.untilSilent, Tone.constant(0, frames: 100_000)).isEmpty)
  }

  @Test func `silence of up to ten seconds between two echoes is written`() throws {
    let sound =
      Tone.constant(0.5, frames: 100) + Tone.constant(0, frames: 80_000)
      + Tone.constant(0.1, frames: 100) + Tone.constant(0, frames: 100_800)
    #expect(try end(.untilSilent, sound) == Array(sound[..<80_200]))
  }

  @Test func `a tail that never becomes silent ends after a minute`() throws {
    #expect(
      try end(.untilSilent, Tone.constant(0.1, frames: 600_000)).count == 60 * Self.rate)
  }
}
