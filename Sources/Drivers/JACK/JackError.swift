/// The error for a JACK server that the node could not join.
package enum JackError: Error, CustomStringConvertible {
  case noServer(String?)
  case nameTaken(String)
  case refused(String)

  package var description: String {
    switch self {
    case .noServer(let name):
      "no JACK server \(name.map { "named \($0) " } ?? "")is running; "
        + "start one (jackd, PipeWire) or use scripts/run, which does"
    case .nameTaken(let name): "another JACK client is already named \(name)"
    case .refused(let what): "the JACK server refused \(what)"
    }
  }
}
