internal import Engine
internal import OSC

/// Copies of clips from loop to loop.
extension Loops {
  /// Copies the clip of a loop, counted from 0, to another one.
  func copy(_ index: Int, _ request: Request) throws(Refusal) {
    let other = try otherLoop(than: index, request)
    try read(index, request) { [weak self] clip in
      self?.write(clip, to: other, request) { request.done("\(other + 1)") }
    }
  }

  /// Swaps the clips of a loop, counted from 0, and another one.
  func swap(_ index: Int, _ request: Request) throws(Refusal) {
    let other = try otherLoop(than: index, request)
    try read(index, request) { [weak self] mine in
      request.attempt { () throws(Refusal) in
        try self?.read(other, request) { [weak self] its in
          self?.write(mine, to: other, request) { [weak self] in
            self?.write(its, to: index, request) { request.done("\(other + 1)") }
          }
        }
      }
    }
  }

  /// A clip in memory, and its origin.
  private typealias Clip = (transit: Clips.Transit, origin: ClipOrigin)

  private func otherLoop(than index: Int, _ request: Request) throws(Refusal) -> Int {
    let number = try loopNumber(request)
    guard number != index + 1 else {
      throw Refusal(
        .range,
        "\(request.path): source and destination are both loop \(number); choose another loop")
    }
    return number - 1
  }

  private func read(
    _ index: Int, _ request: Request, then body: @escaping (Clip) -> Void
  ) throws(Refusal) {
    let clips = context[Takes.self].clips
    try clips.copy(loop: index, for: request.path) { outcome in
      request.complete(outcome) { transit in
        body((transit, clips.origin(of: transit, loop: index)))
      }
    }
  }

  private func write(
    _ clip: Clip, to index: Int, _ request: Request, then ending: @escaping () -> Void
  ) {
    let clips = context[Takes.self].clips
    request.attempt { () throws(Refusal) in
      try clips.load(clip.transit, clip.origin, loop: index, for: request.path) {
        () throws(Refusal) in
        false
      } then: { outcome in
        request.complete(outcome) { _ in ending() }
      }
    }
  }
}
