import TestSupport
import Testing

@testable import Control

@Suite struct SpeechSynthesizerTests {
  @Test func `a stream without lengths is read to its end`() throws {
    let (samples, rate) = try #require(
      SpeechSynthesizer.samples(WaveFixture.stream([0, 16_384, -32_768, 32_767])))
    #expect(samples == [0, 0.5, -1, 32_767 / 32_768] && rate == 22_050)
    // A program that was ended in the middle of a sample.
    #expect(SpeechSynthesizer.samples(WaveFixture.stream([1, 2]).dropLast())?.samples.count == 1)
  }

  @Test func `other output is rejected`() {
    #expect(SpeechSynthesizer.samples([]) == nil)
    #expect(SpeechSynthesizer.samples(Array("espeak-ng: no such voice".utf8)) == nil)
    #expect(SpeechSynthesizer.samples(WaveFixture.stream([1, 2, 3], channels: 2)) == nil)
    #expect(SpeechSynthesizer.samples(WaveFixture.stream([1, 2, 3], bits: 8)) == nil)
    #expect(SpeechSynthesizer.samples(WaveFixture.stream([1, 2, 3], rate: 0)) == nil)
  }
}
