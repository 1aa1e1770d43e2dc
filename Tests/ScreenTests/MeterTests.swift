import Testing

@testable import Screen

@Suite struct MeterTests {
  private static let glyphs = Glyphs(isUnicode: true)

  @Test func `it has instant attack, slow decay and peak hold`() {
    var meter = Meter()
    #expect(meter.level == nil && meter.peak == nil)
    meter.take(-6, at: 10)
    meter.take(-120, at: 10.1)
    // 30 dB per second.
    #expect(abs(meter.level! - -9) < 0.01 && meter.peak == -6)
    meter.advance(to: 11.4)
    #expect(meter.peak == -6)
    meter.advance(to: 11.6)
    #expect(meter.peak == meter.level)
    meter.take(.nan, at: 12)
    #expect(!meter.level!.isNaN)
  }

  @Test func `clipping is marked for three seconds`() {
    var meter = Meter()
    meter.take(-0.2, at: 1)
    #expect(!meter.isClipped)
    meter.take(0, at: 2)
    meter.take(-30, at: 4.9)
    #expect(meter.isClipped)
    meter.advance(to: 5.1)
    #expect(!meter.isClipped)
  }

  @Test func `its bar is empty at -60 dB and full at 0`() {
    func bar(_ level: Float) -> String {
      var meter = Meter()
      meter.take(level, at: 1)
      return String(MeterBar.letters(meter, width: 6, glyphs: Self.glyphs))
    }
    #expect(bar(-61) == "░░░░░░")
    #expect(bar(-30) == "███░░░")
    #expect(bar(12) == "██████")
    var falling = Meter()
    falling.take(-10, at: 1)
    falling.take(-120, at: 2)
    #expect(String(MeterBar.letters(falling, width: 6, glyphs: Self.glyphs)) == "██░░│░")
    #expect(MeterBar.letters(falling, width: -1, glyphs: Self.glyphs).isEmpty)
    #expect(
      String(MeterBar.letters(share: 0.5, width: 4, glyphs: Glyphs(isUnicode: false))) == "##..")
    #expect(String(MeterBar.letters(share: .nan, width: 2, glyphs: Self.glyphs)) == "░░")
  }
}
