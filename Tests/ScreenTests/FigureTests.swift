import Screen
import Testing

@Suite struct FigureTests {
  @Test func `a number has a fixed width`() {
    #expect(Figure.fixed(3.14159, places: 2, width: 6) == "  3.14")
    #expect(Figure.fixed(-0.04, places: 1, width: 6) == "   0.0")
    #expect(Figure.fixed(-0.06, places: 1, width: 6) == "  -0.1")
    #expect(Figure.fixed(9.96, places: 1, width: 4) == "10.0")
    #expect(Figure.fixed(7, places: 1, width: 5, hasSign: true) == " +7.0")
    #expect(Figure.fixed(1.005, places: 3, width: 5) == "1.005")
    #expect(Figure.fixed(48_000, width: 6) == " 48000")
    for odd in [nil, Double.nan, .infinity, -.infinity] {
      #expect(Figure.fixed(odd, places: 1, width: 4) == "   -")
    }
    for far in [123_456, -99_999, 1e300] { #expect(Figure.fixed(far, width: 4) == "####") }
  }

  @Test func `levels and times are plain`() {
    #expect(Figure.level(-12.34) == " -12.3")
    #expect(Figure.level(-120) == "  -inf")
    #expect(Figure.level(nil) == "     -")
    #expect(Figure.duration(3725.9) == "  1:02:05")
    #expect(Figure.duration(nil) == "        -")
    #expect(Figure.duration(.nan) == "        -")
    #expect(Figure.duration(1e300) == "        -")
  }
}
