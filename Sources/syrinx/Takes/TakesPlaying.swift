internal import OSC

/// The command that plays a take through a node.
enum TakesPlaying {
  /// Makes a node play a take of its own library, and waits until it does.
  static func play(_ request: TakesRequest) throws(Failure) {
    try request.check(1...1)
    let conversation = try Conversation(with: request.given.place)
    try conversation.send("/take/play", [.string(request.arguments[0])])
    try conversation.listen(seconds: nil)
  }
}
