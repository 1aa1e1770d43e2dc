import DSP
import Testing

@Suite struct MagnitudeTests {
  @Test(arguments: [0, 1, 7, 8, 9, 64, 333])
  func `finds the peak at any index`(frames: Int) {
    for place in 0..<frames {
      var samples = [Float](repeating: 0.25, count: frames)
      samples[place] = -0.75
      #expect(Magnitude(samples, frames: frames).peak == 0.75)
    }
    #expect(Magnitude([], frames: 0).peak == 0)
  }

  @Test(arguments: [Float.nan, .infinity, -.infinity, .signalingNaN])
  func `detects and clears non-finite samples`(bad: Float) {
    for place in 0..<21 {
      var samples = [Float](repeating: 0.5, count: 21)
      samples[place] = bad
      #expect(!Magnitude(samples, frames: 21).isFinite)
      #expect(Magnitude.silenceNonFinite(&samples, frames: 21) == 1)
      #expect(samples[place] == 0)
      #expect(samples.filter { $0 == 0.5 }.count == 20)
    }
  }

  @Test func `the greatest finite number is finite`() {
    #expect(Magnitude([Float.greatestFiniteMagnitude], frames: 1).isFinite)
  }
}
