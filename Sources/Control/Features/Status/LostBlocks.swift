internal import Engine
internal import OSC
internal import Posix

/// The late buffers, with their causes.
final class LostBlocks: Feature {
  private let context: Context
  private var changesSeen = 0

  init(_ context: Context) { self.context = context }

  /// Announces new late buffers.
  func poll(_ now: Double) -> Int? {
    // A late buffer wakes the control thread.
    let lost = context.soundServer.lostBlocks
    // A new link counts from 0.
    if lost.last?.number ?? 0 < changesSeen { changesSeen = 0 }
    for block in lost where block.number > changesSeen {
      changesSeen = block.number
      context.announce(Self.lost, Self.row(block))
    }
    return nil
  }

  fileprivate func list(_ request: Request) {
    let lost = context.soundServer.lostBlocks.suffix(request.whole(0) ?? .max)
    request.answer(lost.reversed(), Self.lost, end: Self.end, row: Self.row)
  }

  private static func row(_ block: LostBlock) -> [Argument] {
    let date = ZonedDate(microseconds: Int(block.time)).text
    return Argument.row(date, block.milliseconds, block.cause, block.detail)
  }
}

extension LostBlocks {
  private static let lost = Event(
    "/lost", "sfss",
    "Reply to /status/lost, and sent to subscribers when sound was lost: s:date f:milliseconds "
      + "s:cause s:detail, of causes such as client, cpu, disk, server, card and unknown")
  private static let end = Event(
    "/lost/end", "i", "End of the replies to /status/lost: number of entries")

  static let addresses: [Address] = [
    Address(
      "/status/lost",
      Declaring<LostBlocks>.question(
        [.optional("count", .whole, in: 1...100)], end: end, LostBlocks.list),
      "Lists the times at which sound was lost, with the cause of each, newest first: replies /lost for each, then "
        + "/lost/end i:count"),
    Address(lost), Address(end),
  ]
}
