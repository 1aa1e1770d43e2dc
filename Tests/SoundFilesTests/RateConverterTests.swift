import DSP
import Foundation
import SoundFiles
import TestSupport
import Testing

@Suite struct RateConverterTests {
  /// Converts a whole sound in blocks, with limited room for the output of each.
  private func convert(
    _ input: [Float], from: Int, to: Int, block: Int = 4096, room: Int = 4096
  ) -> [Float] {
    var converter = RateConverter(from: from, to: to)
    let source = StereoBuffer(frames: block)
    let result = StereoBuffer(frames: room)
    var output: [Float] = []
    var start = 0
    while start < input.count {
      let frames = min(block, input.count - start)
      for frame in 0..<frames {
        source.stereo.left[frame] = input[start + frame]
        source.stereo.right[frame] = -input[start + frame]
      }
      var taken = 0
      while taken < frames {
        let done = converter.convert(
          source.stereo.advanced(by: taken), frames: frames - taken, into: result.stereo,
          room: room)
        taken += done.taken
        output += UnsafeBufferPointer(start: result.stereo.left, count: done.made)
      }
      start += frames
    }
    while true {
      let made = converter.finish(into: result.stereo, room: room)
      if made == 0 { return output }
      output += UnsafeBufferPointer(start: result.stereo.left, count: made)
    }
  }

  @Test(arguments: [
    (44_100, 48_000), (48_000, 44_100), (48_000, 96_000), (192_000, 48_000), (22_050, 48_000),
    (48_000, 8000),
  ])
  func `a tone keeps its frequency and level`(from: Int, to: Int) {
    let tone = Tone.sine(997, frames: from, sampleRate: Double(from))
    let output = convert(tone, from: from, to: to)
    // The onset and the end of the tone are steps to the filters.
    let middle = Array(output[to / 10..<to * 9 / 10])
    let residue = Measure.residue(middle, hertz: 997, sampleRate: Double(to))
    print("converted \(from) to \(to): residue \(residue) dB")
    // 24-bit mantissas round at about -150 dB of the signal.
    #expect(residue < -140)
    let power = middle.reduce(0) { $0 + Double($1) * Double($1) } / Double(middle.count)
    // 0.01 dB, mostly from the partial period at the end.
    #expect(abs(10 * log10(power / 0.125)) < 0.01)
  }

  @Test func `frequencies above the new Nyquist frequency are removed`() {
    let tone = Tone.sine(23_000, frames: 48_000)
    let output = convert(tone, from: 48_000, to: 44_100)
    #expect(20 * log10(Measure.peak(output[4410..<39_690]) / 0.5) < -120)
  }

  @Test(arguments: [
    (44_100, 48_000), (48_000, 44_100), (8000, 192_000), (192_000, 8000), (44_100, 8000),
    (11_025, 47_999),
  ])
  func `the length is exact to the nearest frame`(from: Int, to: Int) {
    for frames in [0, 1, 2, 7, 100, 1000, 4095, 4096, 4097, 44_100, 50_001] {
      let output = convert(Tone.constant(0.5, frames: frames), from: from, to: to)
      let exact = (Double(frames) * Double(to) / Double(from)).rounded()
      #expect(output.count == Int(exact))
    }
    #expect(
      RateConverter.frames(1_000_000_000_000, from: 44_100, to: 48_000) == 1_088_435_374_150)
  }

  @Test func `the filter delay is compensated`() {
    for (from, to, place, expected) in [
      (44_100, 48_000, 4410, 4800), (48_000, 44_100, 4800, 4410), (48_000, 96_000, 1, 2),
      (48_000, 96_000, 0, 0),
    ] {
      var impulse = Tone.constant(0, frames: 10_000)
      impulse[place] = 1
      let output = convert(impulse, from: from, to: to)
      #expect(output.indices.max { output[$0] < output[$1] } == expected)
    }
  }

  @Test(arguments: [(1, 4096), (64, 33), (333, 1), (1024, 1024), (20_000, 20_000)])
  func `the result does not depend on the block size`(block: Int, room: Int) {
    let noise = Tone.noise(frames: 20_000)
    let whole = convert(noise, from: 44_100, to: 48_000)
    let split = convert(noise, from: 44_100, to: 48_000, block: block, room: room)
    #expect(whole == split)
  }
}
