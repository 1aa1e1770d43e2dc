/// The stage of a connection.
enum HTTPConnectionStage: Int {
  /// The last response has been sent, and the client is expected to close.
  case parting
  /// No byte of a next request has arrived.
  case idle
  case head
  case body
  case sending
  /// The request is complete, and its answer is being made.
  case waiting

  /// The order in which connections are closed to make room: those that wait for the client first.
  var rank: Int {
    switch self {
    case .parting, .idle: 0
    case .head, .body: 1
    case .sending: 2
    case .waiting: 3
    }
  }
}
