internal import Feed

/// Rethrows the faults of boards as refusals.
func asRefusal<Value>(_ body: () throws(FeedFault) -> Value) throws(Refusal) -> Value {
  do throws(FeedFault) {
    return try body()
  } catch {
    throw Refusal(error.isMissing ? .missing : error.isPassing ? .io : .denied, error.message)
  }
}
