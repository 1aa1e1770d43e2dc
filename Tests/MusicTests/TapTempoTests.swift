import Music
import Testing

@Suite struct TapTempoTests {
  private func tempo(_ times: [Double]) -> Double? {
    var taps = TapTempo()
    for time in times { _ = taps.tap(at: time) }
    return taps.tempo
  }

  @Test func `one tap has no tempo, two taps do`() {
    #expect(tempo([]) == nil)
    #expect(tempo([7]) == nil)
    #expect(tempo([7, 7.5]) == 120)
    var taps = TapTempo()
    let first = taps.tap(at: 0)
    let second = taps.tap(at: 1)
    #expect(first == nil && second == 60)
  }

  @Test func `every tempo in the range can be tapped, including its ends`() throws {
    for beats in 20...300 {
      let gap = 60 / Double(beats)
      let tapped = try #require(tempo((0..<8).map { 1000 + Double($0) * gap }))
      // At a thousand seconds, time stamps have a rounding error of 1e-13.
      #expect(abs(tapped / Double(beats) - 1) < 1e-11)
    }
  }

  @Test func `one bad tap doesn't change the tempo`() {
    #expect(tempo([0, 0.5, 1, 1.7, 2, 2.5]) == 120)
    // With two intervals, the median is their mean.
    #expect(tempo([0, 0.5, 1.25]) == 96)
  }

  @Test func `a new tempo takes effect after four taps`() {
    let times = (0...7).map { Double($0) } + [7.5, 8, 8.5]
    #expect(tempo(times) == 60)
    #expect(tempo(times + [9]) == 120)
  }

  @Test func `a bounced tap counts once, and a tap after a pause starts over`() {
    #expect(tempo([0, 0.01, 0.5, 0.51, 1]) == 120)
    #expect(tempo([0, 0.5, 1, 10]) == nil)
    #expect(tempo([0, 0.5, 1, 10, 11]) == 60)
  }

  @Test func `a tempo slightly out of range is clamped`() {
    #expect(tempo([0, 0.18, 0.36]) == 300)
    #expect(tempo([0, 3.2]) == 20)
  }

  @Test func `a clock that goes back starts over, and invalid times are ignored`() {
    #expect(tempo([10, 10.5, 3]) == nil)
    #expect(tempo([10, 10.5, 3, 4]) == 60)
    #expect(tempo([10, .nan, 10.5, .infinity]) == 120)
  }
}
