import Foundation

/// A rectangular room by its image sources (Allen and Berkley, 1979).
struct SimulatedRoom {
  static let soundSpeed = 343.0

  let card: SimulatedCard
  /// The true round trip in frames: the converters, and the direct path.
  let frames: Double
  let words: String

  /// Makes up a room: its size, its walls, and the places of loudspeaker and microphone.
  init(number: Int) {
    var dice = Dice(seed: UInt64(number) + 100)
    let size = [dice.number(2.5...12), dice.number(2.2...9), dice.number(2.2...4)]
    let reflection = dice.number(0.5...0.93)
    let speaker = size.map { dice.number(0.3...($0 - 0.3)) }
    let distance = dice.number(0.1...2.5)
    let angle = dice.number(0...(2 * .pi))
    let microphone = zip(
      zip(speaker, size), [distance * cos(angle), distance * sin(angle), dice.number(-0.3...0.3)]
    ).map { place, move in min(place.1 - 0.2, max(0.2, place.0 + move)) }
    // A microphone that points away, or a head in between.
    let direct = dice.number(0.35...1)

    var echoes: [(seconds: Double, gain: Double)] = []
    for x in -6...6 {
      for y in -6...6 {
        for z in -6...6 where abs(x) + abs(y) + abs(z) <= 6 {
          let path = Self.distance(Self.image(of: speaker, [x, y, z], in: size), microphone)
          let count = abs(x) + abs(y) + abs(z)
          let gain = pow(reflection, Double(count)) / max(0.1, path) * (count == 0 ? direct : 1)
          echoes.append((path / Self.soundSpeed, gain * 0.2))
        }
      }
    }
    let path = Self.distance(speaker, microphone)
    var card = SimulatedCard()
    card.delay = dice.number(200...2500)
    card.echoes = echoes
    card.tail = (0.05, dice.number(0.2...0.8), reflection * 0.002)
    card.band = dice.number(60...250)...dice.number(6000...16_000)
    card.signalToNoise = [40, 30, 20, 12, 6][number % 5]
    card.seed = UInt64(number)
    self.card = card
    frames = card.delay + path / Self.soundSpeed * card.rate
    words =
      "\(size.map { "\(($0 * 10).rounded() / 10)" }.joined(separator: "×")) m, walls "
      + "\(Int(reflection * 100)) %, at \((path * 100).rounded() / 100) m, direct "
      + "\(Int(direct * 100)) %, \(Int(card.signalToNoise ?? 0)) dB"
  }

  /// The place of a source mirrored in the walls, `order` times in each direction.
  private static func image(
    of place: [Double], _ order: [Int], in size: [Double]
  ) -> [Double] {
    (0..<3).map { axis in
      let isEven = order[axis].isMultiple(of: 2)
      let rooms = Double(isEven ? order[axis] : order[axis] + 1)
      return rooms * size[axis] + (isEven ? place[axis] : -place[axis])
    }
  }

  private static func distance(_ one: [Double], _ other: [Double]) -> Double {
    var sum = 0.0
    for axis in 0..<3 { sum += (one[axis] - other[axis]) * (one[axis] - other[axis]) }
    return sum.squareRoot()
  }
}
