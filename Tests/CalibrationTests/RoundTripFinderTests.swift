import Calibration
import Foundation
import Testing

@Suite struct RoundTripFinderTests {
  private let finder = RoundTripFinder(Sweep(rate: 48_000))

  private func measure(
    _ card: SimulatedCard, level: Float = 0.3
  ) -> Result<RoundTrip, RoundTripRefusal> {
    Result { () throws(RoundTripRefusal) in
      try finder.find(in: card.play(finder.signal(level: level)))
    }
  }

  private func refusal(_ card: SimulatedCard, level: Float = 0.3) -> RoundTripRefusal? {
    if case .failure(let refusal) = measure(card, level: level) { refusal } else { nil }
  }

  @Test(arguments: [1.0, 64, 300.5, 1234.56, 5000.25, 20_000])
  func `a cable is measured to a hundredth of a frame`(delay: Double) throws {
    var card = SimulatedCard()
    card.delay = delay
    card.signalToNoise = 30
    let found = try measure(card).get()
    #expect(abs(found.frames - delay) < 0.01)
    #expect(found.isAlone)
    #expect(found.confidence == .high)
  }

  @Test func `the polarity of a cable makes no difference`() throws {
    var card = SimulatedCard()
    card.echoes = [(0, -0.4)]
    #expect(abs(try measure(card).get().frames - card.delay) < 0.01)
  }

  @Test(arguments: [44_100.0, 96_000])
  func `other sample rates are as exact`(rate: Double) throws {
    let finder = RoundTripFinder(Sweep(rate: rate))
    var card = SimulatedCard()
    card.rate = rate
    card.signalToNoise = 40
    let found = try finder.find(in: card.play(finder.signal(level: 0.3)))
    #expect(abs(found.frames - card.delay) < 0.01)
  }

  @Test func `twenty rooms are measured to 0.2 ms, or refused`() throws {
    var lines: [String] = []
    var measured = 0
    for number in 1...20 {
      let room = SimulatedRoom(number: number)
      switch measure(room.card) {
      case .success(let found):
        let error = (found.frames - room.frames) / 48
        measured += 1
        lines.append("\(room.words): \(Int((error * 1000).rounded())) µs, \(found.confidence)")
        #expect(abs(error) < 0.2, "\(room.words)")
      case .failure(let refusal): lines.append("\(room.words): \(refusal)")
      }
    }
    print(lines.joined(separator: "\n"))
    #expect(measured >= 18)
  }

  @Test func `the direct sound is found before a stronger reflection`() throws {
    var card = SimulatedCard()
    card.echoes = [(0, 0.1), (0.0012, 0.35), (0.004, 0.2)]
    card.band = 100...12_000
    card.signalToNoise = 30
    let found = try measure(card).get()
    #expect(abs(found.frames - card.delay) < 0.2 * 48)
    #expect(!found.isAlone)
  }

  @Test func `an open input is no signal`() {
    var card = SimulatedCard()
    card.echoes = []
    #expect(refusal(card) == .noSignal)
    card.echoes = [(0, 1e-6)]
    card.signalToNoise = -40
    #expect(refusal(card) == .noSignal)
  }

  @Test func `noise above the sweep is refused`() {
    var card = SimulatedCard()
    card.signalToNoise = -45
    card.clip = 1000
    #expect(refusal(card) == .tooNoisy)
  }

  @Test func `a clipped input is refused`() {
    var card = SimulatedCard()
    card.clip = 0.2
    #expect(refusal(card) == .clipped)
  }

  @Test func `a second path is refused with its distance`() throws {
    var card = SimulatedCard()
    card.echoes = [(0, 0.5), (0.08, 0.45)]
    guard case .twoArrivals(let milliseconds)? = refusal(card) else {
      Issue.record("measured in spite of two arrivals")
      return
    }
    #expect(abs(milliseconds - 80) < 0.2)
  }

  @Test func `something weak before the clear arrival is refused`() {
    var card = SimulatedCard()
    card.echoes = [(0, 0.07), (0.002, 0.5)]
    #expect(refusal(card) == .unsure)
  }

  @Test func `a buffer that is lost between the sweeps is refused`() {
    let played = finder.signal(level: 0.3)
    var recording = SimulatedCard().play(played)
    let third = recording.count * 3 / 5
    recording.removeSubrange(third..<(third + 64))
    recording += [Float](repeating: 0, count: 64)
    #expect(throws: RoundTripRefusal.self) { try finder.find(in: recording) }
  }
}
