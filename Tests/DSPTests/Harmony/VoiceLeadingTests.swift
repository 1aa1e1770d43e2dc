import DSP
import Testing

/// The assignment of notes to voices.
@Suite struct VoiceLeadingTests {
  private func assign(_ notes: [Float], _ wishes: [Float]) -> [Float?] {
    var leading = VoiceLeading()
    for note in notes { leading.insert(note) }
    var four = SIMD4<Float>()
    for (index, wish) in wishes.enumerated() { four[index] = wish }
    let found = leading.assign(four, voices: wishes.count)
    return wishes.indices.map { found[$0].isNaN ? nil : found[$0] }
  }

  @Test func `each voice takes the nearest note`() {
    #expect(assign([60, 64, 67, 72], [66, 61]) == [67, 60])
    #expect(assign([48, 60, 72], [71]) == [72])
  }

  @Test func `voices don't share a note, and don't cross`() {
    // Both are nearest to 64: the one that is farther gives way, on its own side.
    #expect(assign([60, 64, 67], [64, 65]) == [64, 67])
    #expect(assign([60, 64, 67], [65, 64]) == [67, 64])
    for seed in 0..<200 {
      var state = UInt64(seed + 1)
      func next() -> Float {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return Float(40 + (state >> 33) % 40)
      }
      let wishes = (0..<4).map { _ in next() }
      let found = assign((0..<9).map { _ in next() }, wishes)
      for one in 0..<4 {
        for other in 0..<4 where wishes[one] < wishes[other] {
          guard let low = found[one], let high = found[other] else { continue }
          #expect(low < high, "\(wishes): \(found)")
        }
      }
    }
  }

  @Test func `the sum of all movements is the least`() {
    // All ways to give three voices four notes in order.
    let notes: [Float] = [55, 59, 62, 65]
    for wishes in [[57.0, 58, 64], [50, 51, 52], [60, 61, 70], [62, 64, 65]] as [[Float]] {
      var least = Float.infinity
      for left in 0..<4 {
        let chosen = notes.indices.filter { $0 != left }.map { notes[$0] }
        least = min(least, zip(wishes, chosen).map { abs($0 - $1) }.reduce(0, +))
      }
      let found = assign(notes, wishes).compactMap(\.self)
      #expect(zip(wishes, found).map { abs($0 - $1) }.reduce(0, +) == least)
    }
  }

  @Test func `with fewer notes than voices, the farthest voices are silent`() {
    #expect(assign([60, 70], [40, 61, 69]) == [nil, 60, 70])
    #expect(assign([], [40, 61]) == [nil, nil])
  }

  @Test func `notes that are there already or invalid are ignored`() {
    #expect(assign([60, 60, .nan, .infinity, 64], [60, 61, 62]).compactMap(\.self) == [60, 64])
    // No more than there is room for.
    #expect(assign((0..<100).map(Float.init), [90]) == [31])
  }
}
