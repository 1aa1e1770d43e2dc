import DSP
import Testing

@Suite struct LevelTests {
  @Test func `0 dB is exactly 1 and the lower end exactly 0`() {
    #expect(Level.gain(decibels: 0) == 1)
    #expect(Level.gain(decibels: -90) == 0)
    #expect(Level.gain(decibels: -100) == 0)
  }

  @Test(arguments: [(Float(-20), Float(0.1)), (6.020_6, 2), (-60, 0.001), (24, 15.848_93)])
  func `gains match the definition of the decibel`(decibels: Float, gain: Float) {
    // Single precision through exp: a few parts per million.
    #expect(abs(Level.gain(decibels: decibels) / gain - 1) < 5e-6)
    #expect(abs(Level.decibels(gain) - decibels) < 1e-4)
  }

  @Test func `silence is -120 dB`() {
    #expect(Level.decibels(0) == -120)
  }
}
