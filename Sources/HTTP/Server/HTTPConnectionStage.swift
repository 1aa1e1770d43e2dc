/// The stage of a connection.
enum HTTPConnectionStage {
  /// The last response has been sent, and the client is expected to close.
  case parting
  /// No byte of a next request has arrived.
  case idle
  case head
  case body
  case sending
  /// The request is complete, and its answer is being made.
  case waiting
}
