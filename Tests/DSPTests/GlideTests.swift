import DSP
import TestSupport
import Testing

@Suite struct GlideTests {
  private func values(_ glide: inout Glide, _ frames: Int, block: Int? = nil) -> [Float] {
    var result: [Float] = []
    while result.count < frames {
      let count = min(block ?? frames, frames - result.count)
      var values = [Float](repeating: .nan, count: count)
      values.withUnsafeMutableBufferPointer { glide.fill($0.baseAddress!, frames: count) }
      result += values
    }
    return result
  }

  @Test(arguments: [Float(0), 1, -3, 0.001])
  func `lands on its target exactly`(target: Float) {
    var glide = Glide(at: 0.5, sampleRate: 48_000)
    glide.move(to: target)
    // 20 time constants of 3 ms: e^-20, times 20 for the second pole, is below the snap distance of
    // 1e-6 for jumps of more than 20.
    let moved = values(&glide, 48 * 60)
    #expect(moved.last == target)
    #expect(!glide.isMoving)
  }

  @Test func `moves on the first frame`() {
    var glide = Glide(at: 1, sampleRate: 48_000)
    glide.move(to: 0)
    #expect(values(&glide, 1)[0] < 1)
  }

  @Test func `has no step or corner, even when reversed on the way`() {
    var glide = Glide(at: 0, sampleRate: 48_000)
    glide.move(to: 1)
    var all = [Float(0), 0] + values(&glide, 200)
    glide.move(to: 0)
    all += values(&glide, 4000)
    // Both poles have the coefficient 1 - exp(-1 / 144). The largest second difference of the
    // cascade is its square, for a jump of 1.
    let coefficient: Float = 0.00692
    #expect(Measure.roughness(all) < 1.1 * coefficient * coefficient)
  }

  @Test(arguments: [1, 16, 64, 333])
  func `the result doesn't depend on the block size`(block: Int) {
    var whole = Glide(at: 0, sampleRate: 48_000)
    var cut = whole
    whole.move(to: 0.7)
    cut.move(to: 0.7)
    #expect(values(&whole, 4000) == values(&cut, 4000, block: block))
  }
}
