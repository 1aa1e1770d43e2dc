internal import Engine
internal import JSON
internal import Library
internal import OSC

/// Parts: loops that play together.
extension Scenes {
  /// The commands that play a part, and stop the loops of all others.
  func partActions(_ number: Int) -> [Command.Action] {
    let meant = number > 0 ? partLoops[number - 1] : []
    let others = Set(partLoops.joined()).subtracting(meant).sorted()
    func known(_ loops: [Int]) -> [Int] {
      loops.filter { $0 <= context.loopCount }.map { $0 - 1 }
    }
    return loopActions(stopping: known(others), playing: known(meant))
  }

  /// Switches to a part.
  func choosePart(_ request: Request) throws(Refusal) {
    let number = request.whole(0) ?? 0
    guard number == 0 || !partLoops[number - 1].isEmpty else {
      throw Refusal(
        .state, "part \(number) has no loops; \(Self.part)/\(number)/loops sets them")
    }
    var faults: [JSON.Fault] = []
    let nothing = ReadyScene(Scene(), preset: [], context, &faults)
    try queue(
      Queued(
        name: "", moment: moment(request, 1), request: request, ready: nothing, part: number,
        since: context.now()))
  }

  func loops(ofPart index: Int) -> [Int] { partLoops[index] }

  /// Sets the loops of a part; 0 for none.
  func setLoops(ofPart index: Int, _ request: Request) {
    partLoops[index] = request.arguments.indices.compactMap { request.whole($0) }
      .filter { $0 > 0 }
    context.changed("\(Self.part)/\(index + 1)/loops")
  }
}
