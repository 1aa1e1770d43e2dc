internal import Glibc

/// A time with its UTC offset.
package struct ZonedDate: Hashable, Sendable {
  // The years 1 to 9999, the range of ISO 8601.
  private static let span = -62_135_596_800_000_000...253_402_300_799_999_999

  /// Microseconds since 1970.
  package let microseconds: Int
  /// The UTC offset in minutes.
  package let zoneMinutes: Int

  /// Creates a time, clamped to the valid range of years.
  package init(microseconds: Int, zoneMinutes: Int) {
    self.zoneMinutes = max(-1439, min(1439, zoneMinutes))
    self.microseconds = max(
      Self.span.lowerBound + 86_400_000_000,
      min(Self.span.upperBound - 86_400_000_000, microseconds))
  }

  /// Creates a time in the local time zone.
  package init(microseconds: Int) {
    var seconds = time_t(Self.floor(microseconds, 1_000_000))
    var local = tm()
    localtime_r(&seconds, &local)
    self.init(microseconds: microseconds, zoneMinutes: local.tm_gmtoff / 60)
  }

  package static var now: ZonedDate { ZonedDate(microseconds: Int(HostTime.wall)) }

  // MARK: - Text

  /// ISO 8601 with the UTC offset, such as `2026-11-21T17:30:00.250000+01:00`.
  package var text: String {
    let local = microseconds + zoneMinutes * 60_000_000
    let days = Self.floor(local, 86_400_000_000)
    let inDay = local - days * 86_400_000_000
    let (year, month, day) = Self.date(days)
    let (minutes, micros) = (inDay / 60_000_000, inDay % 60_000_000)
    let zone = abs(zoneMinutes)
    return "\(Self.padded(year, 4))-\(Self.padded(month, 2))-\(Self.padded(day, 2))T"
      + "\(Self.padded(minutes / 60, 2)):\(Self.padded(minutes % 60, 2)):"
      + "\(Self.padded(micros / 1_000_000, 2)).\(Self.padded(micros % 1_000_000, 6))"
      + "\(zoneMinutes < 0 ? "-" : "+")\(Self.padded(zone / 60, 2)):\(Self.padded(zone % 60, 2))"
  }

  /// The hour of the day, in its own zone.
  package var hour: Int {
    let local = Self.floor(microseconds + zoneMinutes * 60_000_000, 3_600_000_000)
    return local - Self.floor(local, 24) * 24
  }

  /// Parses ISO 8601: a date with an optional time.
  ///
  /// The default zone is UTC.
  package init?(_ text: String) {
    var rest = text.utf8[...]
    func number(_ digits: Int, after mark: String = "") -> Int? {
      guard rest.starts(with: mark.utf8) else { return nil }
      let part = rest.dropFirst(mark.utf8.count).prefix(digits)
      guard part.count == digits, part.allSatisfy({ (48...57).contains($0) }) else { return nil }
      rest = rest.dropFirst(mark.utf8.count + digits)
      return part.reduce(0) { $0 * 10 + Int($1) - 48 }
    }
    guard let year = number(4), let month = number(2, after: "-"), let day = number(2, after: "-"),
      year > 0, Self.date(Self.days(year, month, day)) == (year, month, day)
    else { return nil }
    var micros = Self.days(year, month, day) * 86_400_000_000
    var zone = 0
    if !rest.isEmpty {
      guard let hour = number(2, after: "T"), let minute = number(2, after: ":"), hour < 24,
        minute < 60
      else { return nil }
      micros += (hour * 60 + minute) * 60_000_000
      if rest.first == UInt8(ascii: ":") {
        guard let second = number(2, after: ":"), second < 60 else { return nil }
        micros += second * 1_000_000
      }
      if rest.first == UInt8(ascii: ".") {
        let digits = rest.dropFirst().prefix { (48...57).contains($0) }
        guard !digits.isEmpty else { return nil }
        rest = rest.dropFirst(digits.count + 1)
        var weight = 100_000
        for digit in digits {
          micros += (Int(digit) - 48) * weight
          weight /= 10
        }
      }
      if rest.elementsEqual("Z".utf8) {
        rest = rest.dropFirst()
      } else if let mark = rest.first {
        guard mark == UInt8(ascii: "+") || mark == UInt8(ascii: "-"),
          let hours = number(2, after: mark == UInt8(ascii: "+") ? "+" : "-"),
          let minutes = number(2, after: ":"), hours < 24, minutes < 60
        else { return nil }
        zone = (hours * 60 + minutes) * (mark == UInt8(ascii: "-") ? -1 : 1)
      }
    }
    guard rest.isEmpty else { return nil }
    self.init(microseconds: micros - zone * 60_000_000, zoneMinutes: zone)
  }

  // MARK: - Calendar

  private static func floor(_ number: Int, _ step: Int) -> Int {
    number / step - (number % step < 0 ? 1 : 0)
  }

  private static func padded(_ number: Int, _ digits: Int) -> String {
    let text = String(number)
    return String(repeating: "0", count: max(0, digits - text.count)) + text
  }

  private static func days(_ year: Int, _ month: Int, _ day: Int) -> Int {
    var parts = tm()
    (parts.tm_year, parts.tm_mon) = (Int32(year - 1900), Int32(month - 1))
    parts.tm_mday = Int32(day)
    return timegm(&parts) / 86_400
  }

  private static func date(_ days: Int) -> (year: Int, month: Int, day: Int) {
    var (seconds, parts) = (days * 86_400, tm())
    gmtime_r(&seconds, &parts)
    return (Int(parts.tm_year) + 1900, Int(parts.tm_mon) + 1, Int(parts.tm_mday))
  }
}
