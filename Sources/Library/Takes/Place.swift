internal import Glibc

/// A location on Earth.
package struct Place: Equatable, Sendable {
  private static let earthKilometers = 6371.0088
  private static let degree = Double.pi / 180

  /// Degrees north.
  package let latitude: Double
  /// Degrees east.
  package let longitude: Double

  init(_ latitude: Double, _ longitude: Double) {
    self.latitude = latitude
    self.longitude = longitude
  }

  /// Creates a location, or nil if the coordinates are out of range.
  package init?(latitude: Double, longitude: Double) {
    guard abs(latitude) <= 90, abs(longitude) <= 180 else { return nil }
    self.init(latitude, longitude)
  }

  /// Parses degrees north and east, such as `52.52,13.40`.
  package init?(written text: String) {
    let numbers = text.split(separator: ",", omittingEmptySubsequences: false).map {
      Double($0.drop { $0 == " " })
    }
    guard numbers.count == 2, let latitude = numbers[0], let longitude = numbers[1] else {
      return nil
    }
    self.init(latitude: latitude, longitude: longitude)
  }

  /// Returns the great-circle distance to another location on a sphere of the mean Earth radius.
  package func kilometers(to other: Place) -> Double {
    let (here, there) = (latitude * Self.degree, other.latitude * Self.degree)
    let north = sin((there - here) / 2)
    let east = sin((other.longitude - longitude) * Self.degree / 2)
    let half = north * north + cos(here) * cos(there) * east * east
    return 2 * Self.earthKilometers * asin(min(1, half.squareRoot()))
  }

  /// Returns the latitude range of all locations within a distance.
  func latitudes(within kilometers: Double) -> ClosedRange<Double> {
    // A margin for rounding errors.
    let reach = kilometers / Self.earthKilometers / Self.degree * 1.000001 + 1e-9
    return latitude - reach...latitude + reach
  }
}
