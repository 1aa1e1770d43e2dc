import DSP
import Foundation
import TestSupport
import Testing

@Suite struct EchoMovementTests {
  /// A parameter that moves between two extremes.
  enum Move: CaseIterable {
    case feedback, lowCut, highCut, spread, mix, on, hold, reset, seconds, glidingSeconds

    func apply(_ high: Bool, to echo: inout Echo) {
      switch self {
      case .feedback: echo.setFeedback(high ? 1.1 : 0)
      case .lowCut: echo.setLowCut(hertz: high ? 2000 : 20)
      case .highCut: echo.setHighCut(hertz: high ? 20_000 : 200)
      case .spread: echo.setSpread(high ? 1 : 0)
      case .mix: echo.setMix(high ? 1 : 0)
      case .on: echo.setOn(high)
      case .hold: echo.setHold(!high)
      case .reset: echo.reset()
      case .seconds: echo.setSeconds(high ? 0.06 : 0.001)
      case .glidingSeconds:
        // Feedback during a glide is bent twice: no click, but as steep.
        echo.setFeedback(0)
        echo.setGlides(true)
        echo.setSeconds(high ? 0.06 : 0.001)
      }
    }
  }

  @Test(arguments: Move.allCases)
  func `no parameter jump between extremes clicks`(move: Move) {
    // A quarter period off a whole number, so that repeats don't pile up at the ceiling.
    let rig = EchoRig(seconds: 0.05, feedback: 0.3, mix: 0.5)
    move.apply(true, to: &rig.echo)
    rig.echo.settle()
    // Fades in: the corner of an abrupt start would recur with each repeat.
    let tone = Tone.sine(435, amplitude: 0.2, frames: 21_600).enumerated().map {
      $0.element * min(Float($0.offset) / 2400, 1)
    }
    var output: (left: [Float], right: [Float]) = ([], [])
    for (part, frames) in [0..<7200, 7200..<12_000, 12_000..<16_800, 16_800..<21_600].enumerated() {
      if part > 0 { move.apply(part % 2 == 0, to: &rig.echo) }
      let played = rig.play(Array(tone[frames]), block: 256)
      output.left += played.left
      output.right += played.right
    }
    // The overall peak depends on the phases of the repeats, so each corner is compared with the
    // level around it.
    for side in [output.left, output.right] {
      for start in stride(from: 0, to: side.count - 600, by: 300) {
        let around = side[max(start - 600, 0)..<min(start + 900, side.count)]
        let steady = Measure.peak(around) * Float(pow(2 * Double.pi * 435 / 48_000, 2))
        let corner = Measure.roughness(side[start..<(start + 302)])
        #expect(corner <= 2 * steady + 1e-5, "\(move) at \(start): \(corner / steady)")
      }
    }
  }

  private func everything(block: Int) -> [Float] {
    let rig = EchoRig(seconds: 0.012, feedback: 0.7, mix: 0.6)
    let noise = Tone.noise(frames: 20_000)
    let other = Tone.noise(frames: 20_000, seed: 7)
    var output: [Float] = []
    var start = 0
    func apply(_ index: Int, _ echo: inout Echo) {
      switch index {
      case 1: echo.setSeconds(0.020_01)
      case 2: echo.setHighCut(hertz: 3000)
      case 3: echo.setLowCut(hertz: 300)
      case 4: echo.setGlides(true)
      case 5: echo.setSeconds(0.001)
      case 6: echo.setSpread(0.8)
      case 7: echo.setHold(true)
      case 8: echo.setFeedback(1.1)
      case 9: echo.setSeconds(0.004_3)
      case 10: echo.setHold(false)
      case 11: echo.setGlides(false)
      case 12: echo.setSeconds(0.007)
      case 13: echo.reset()
      case 15: echo.setMix(0.9)
      case 16: echo.setOn(false)
      case 17: echo.setOn(true)
      default: break
      }
    }
    for index in 0..<20 {
      apply(index, &rig.echo)
      let next = start + 650 + 31 * index
      let (left, right) = rig.play(
        Array(noise[start..<next]), Array(other[start..<next]), block: block)
      output += left + right
      start = next
    }
    return output
  }

  @Test(arguments: [1, 16, 64, 333])
  func `the result doesn't depend on the block size`(block: Int) {
    #expect(Measure.firstDifference(everything(block: block), everything(block: 1024)) == nil)
  }
}
