internal import Glibc
internal import HTTP
internal import JSON
internal import Posix

/// A rate-limited connection to picture services: one request at a time.
///
/// Blocks. One thread at a time.
final class PictureLine: @unchecked Sendable {
  private static let seconds = 20.0
  private static let mostRedirects = 3
  private static let mostJSONBytes = 4 << 20

  private let userAgent: String
  private let secondsBetween: Double
  private lazy var client = HTTPClient(userAgent: userAgent)
  // The earliest time of the next request to each host, in microseconds of monotonic time.
  private var next: [String: Double] = [:]

  init(userAgent: String, secondsBetween: Double) {
    self.userAgent = userAgent
    self.secondsBetween = secondsBetween
  }

  /// Queries a service and parses the JSON response.
  func json(_ path: String, of source: some PictureSource) throws(PictureFault) -> JSON {
    guard let place = source.base.appending(path) else {
      throw PictureFault(.unusable, "invalid request to \(source.base.host)")
    }
    let reply = try fetch(place, of: source, most: Self.mostJSONBytes)
    guard let json = try? JSON(reply.body) else {
      throw PictureFault(.unusable, "invalid reply from \(place.host)")
    }
    return json
  }

  /// Downloads at most `most` bytes from a URL of a service.
  func fetch(
    _ place: HTTPPlace, of source: some PictureSource, most: Int
  ) throws(PictureFault) -> HTTPReply {
    guard source.allows(place) else {
      throw PictureFault(.unusable, "requests to \(place.host) are not allowed")
    }
    awaitTurn(place)
    var call = HTTPCall("GET", place)
    call.mostBytes = most
    call.seconds = Self.seconds
    call.mostRedirects = Self.mostRedirects
    call.allows = { source.allows($0) }
    let reply: HTTPReply
    do throws(HTTPFault) {
      reply = try client.perform(call)
    } catch {
      if case .unreachable = error {
        throw PictureFault(.unreachable, error.message + "; pictures need the internet")
      }
      throw PictureFault(.unusable, error.message)
    }
    switch reply.status {
    case 200: return reply
    case 429:
      throw PictureFault(
        .unreachable, "too many requests to \(place.host); try again in some minutes")
    case 500...:
      throw PictureFault(.unreachable, "status \(reply.status) from \(place.host); try again later")
    default: throw PictureFault(.unusable, "status \(reply.status) from \(place.host)")
    }
  }

  /// Waits until the next request to a host is permitted.
  private func awaitTurn(_ place: HTTPPlace) {
    let host = "\(place.host):\(place.port)"
    // A signal interrupts the sleep.
    while case let left = (next[host] ?? 0) - HostTime.steady, left > 0 { usleep(UInt32(left)) }
    next[host] = HostTime.steady + secondsBetween * 1e6
  }
}
