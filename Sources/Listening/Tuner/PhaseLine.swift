/// A least-squares line through consecutive, equidistant phases.
struct PhaseLine {
  /// The number of phases.
  private(set) var count = 0
  private var sum = 0.0
  // The sum of each phase times its index.
  private var moment = 0.0

  /// Appends a phase.
  mutating func add(_ phase: Double) {
    sum += phase
    moment += Double(count) * phase
    count += 1
  }

  /// The slope per step; 0 for a single phase.
  var slope: Double {
    guard count > 1 else { return 0 }
    let number = Double(count)
    // The mean of the indices, and the sum of their squared deviations from it.
    let middle = (number - 1) / 2
    let square = number * (number * number - 1) / 12
    return (moment - middle * sum) / square
  }

  /// The extrapolation to the next index.
  var next: Double {
    guard count > 0 else { return 0 }
    let number = Double(count)
    return sum / number + slope * (number - (number - 1) / 2)
  }
}
