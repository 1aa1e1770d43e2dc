internal import CRealtime

/// Measures the phases of a tone's harmonics, frame by frame backward from the end of a sound.
///
/// A frame is a whole number of periods long, and its window is the fourth power of a cosine. The
/// transform of that window is zero at three and more whole bins' distance, where all other
/// harmonics are, and hardly more in between.
final class HarmonicPhases {
  /// The harmonics of one frame.
  struct Measurement {
    var phases: [Double]
    var powers: [Double]
    /// The square root of the total power.
    var amplitude: Double
  }

  // The zeros of the window need four periods; shorter frames pick up too much noise.
  private static let leastPeriods = 4.0
  private static let leastSeconds = 0.02
  private static let mostHarmonics = 8
  private static let highest = 12_000.0

  /// The number of samples between two frames.
  private(set) var hop = 1
  private let rate: Double
  // The number of samples on each side of a frame's center.
  private var half = 0
  private var count = 0
  // The windowed cosines and sines of each harmonic, from the center to the end.
  private var cosines: [Float] = []
  private var sines: [Float] = []
  private var even: [Float] = []
  private var odd: [Float] = []

  init(rate: Double) { self.rate = rate }

  /// Sets the frame length and the harmonics for a frequency in Hz.
  ///
  /// In the first pass frames are one period apart, later a quarter of a frame.
  func place(at frequency: Double, isFirst: Bool) {
    let periods = max(Self.leastPeriods, (Self.leastSeconds * frequency).rounded(.up))
    let length = periods * rate / frequency
    half = Int(length / 2)
    hop = Int((isFirst ? rate / frequency : length / 4).rounded())
    let highest = min(Self.highest, 0.45 * rate)
    count = max(1, min(Self.mostHarmonics, Int(highest / frequency)))
    let size = half + 1
    cosines = [Float](repeating: 0, count: count * size)
    sines = cosines
    even = [Float](repeating: 0, count: size)
    odd = even
    let omega = 2 * Double.pi * frequency / rate
    // The rotation per sample of the fundamental and of the window; its powers give the harmonics.
    let (turnReal, turnImaginary) = (rt_cos(omega), rt_sin(omega))
    let (bendReal, bendImaginary) = (rt_cos(.pi / length), rt_sin(.pi / length))
    var (real, imaginary) = (1.0, 0.0)
    var (window, rest) = (1.0, 0.0)
    for index in 0..<size {
      let weight = window * window * window * window
      var (power, side) = (real, imaginary)
      for harmonic in 0..<count {
        cosines[harmonic * size + index] = Float(weight * power)
        sines[harmonic * size + index] = Float(weight * side)
        (power, side) = (
          power * real - side * imaginary, power * imaginary + side * real
        )
      }
      (real, imaginary) = (
        real * turnReal - imaginary * turnImaginary, real * turnImaginary + imaginary * turnReal
      )
      (window, rest) = (
        window * bendReal - rest * bendImaginary, window * bendImaginary + rest * bendReal
      )
    }
  }

  /// Returns the start of a frame, counted back from the last; negative if it is before the sound.
  func start(in sound: [Float], back: Int) -> Int { sound.count - 1 - 2 * half - back * hop }

  /// Measures a frame, counted back from the last.
  func measure(_ sound: [Float], back: Int) -> Measurement {
    let middle = sound.count - 1 - half - back * hop
    even[0] = sound[middle]
    odd[0] = 0
    for index in 1...half {
      let (after, before) = (sound[middle + index], sound[middle - index])
      even[index] = after + before
      odd[index] = after - before
    }
    var result = Measurement(phases: [], powers: [], amplitude: 0)
    for harmonic in 0..<count {
      let real = Double(Self.product(cosines, from: harmonic * (half + 1), even))
      let imaginary = -Double(Self.product(sines, from: harmonic * (half + 1), odd))
      let power = real * real + imaginary * imaginary
      result.phases.append(rt_angle(imaginary, real))
      result.powers.append(power)
      result.amplitude += power
    }
    result.amplitude = result.amplitude.squareRoot()
    return result
  }

  private static func product(_ table: [Float], from start: Int, _ values: [Float]) -> Float {
    table.withUnsafeBufferPointer {
      rt_product($0.baseAddress! + start, values, values.count)
    }
  }
}
