internal import Glibc

extension ZonedDate {
  private static let microsecondsInDay = 86_400_000_000

  /// Parses a time as people write it, such as `2026-11-21` or `2026-11-21T17:30`.
  ///
  /// The default zone is local time.
  ///
  /// Returns the first moment of the day, minute or second given, or the last one if `isEnd`.
  package init?(written text: String, isEnd: Bool) {
    let text = text.replacing(" ", with: "T", maxReplacements: 1)
    guard let date = ZonedDate(text) else { return nil }
    let time = text.drop { $0 != "T" }
    let zone = time.firstIndex { "Z+-".contains($0) } ?? time.endIndex
    let isHere = zone == time.endIndex
    let start = isHere ? Self.local(date.microseconds) ?? date.microseconds : date.microseconds
    var moment = start
    if isEnd {
      switch time[..<zone].count {
      case 0:
        // Some days have 23 or 25 hours.
        let next = date.microseconds + Self.microsecondsInDay
        moment = (Self.local(next) ?? next) - 1
      case 6: moment += 59_999_999
      case 9: moment += 999_999
      default: break
      }
    }
    self.init(microseconds: moment)
  }

  /// Converts a local time to UTC.
  ///
  /// Both are in microseconds since 1970.
  private static func local(_ microseconds: Int) -> Int? {
    let micros = (microseconds % 1_000_000 + 1_000_000) % 1_000_000
    var seconds = time_t((microseconds - micros) / 1_000_000)
    var parts = tm()
    gmtime_r(&seconds, &parts)
    parts.tm_isdst = -1
    let moment = mktime(&parts)
    guard moment != -1 || seconds == -1 else { return nil }
    return moment * 1_000_000 + micros
  }
}
