/// The line of least squares through phases that come one after the other, at equal distances.
struct PhaseLine {
  /// How many there are.
  private(set) var count = 0
  private var sum = 0.0
  // Each times its number.
  private var moment = 0.0

  /// Adds the next one.
  mutating func add(_ phase: Double) {
    sum += phase
    moment += Double(count) * phase
    count += 1
  }

  /// How much the line rises from one to the next; 0 for one alone.
  var slope: Double {
    guard count > 1 else { return 0 }
    let number = Double(count)
    // Numbers from 0 on: their mean, and the sum of their squares from it.
    let middle = (number - 1) / 2
    let square = number * (number * number - 1) / 12
    return (moment - middle * sum) / square
  }

  /// Where the next one lies, if it lies on the line.
  var next: Double {
    guard count > 0 else { return 0 }
    let number = Double(count)
    return sum / number + slope * (number - (number - 1) / 2)
  }
}
