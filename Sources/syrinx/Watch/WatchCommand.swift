internal import Control
internal import Glibc
internal import Posix
internal import Screen

/// The command `syrinx watch`: shows a running node on a full screen, or once in plain lines.
enum WatchCommand: Command {
  static let page = CommandPage(
    name: "watch", summary: "Monitor a running node on a full screen.",
    usage: "syrinx watch [OPTIONS]",
    options: """
      \(NodePlace.option)
      --once: Print the current values as plain lines, and exit
      --seconds SECONDS: Exit after this time; with --once, the time of measurement
      """,
    details: """
      Shows levels, load, effects, loops, the grid, bindings and takes. If standard output is not a
      terminal, it prints the values once, as plain lines, like --once.

      Keys: q, Esc and Ctrl-C quit, Tab and the arrow keys change the page, ? lists all keys.
      Digits select a loop; space is its pedal, u undoes, m mutes, and c twice clears it.

      A lost node is reported, and shown again when it is back. NO_COLOR disables colors, and
      LC_ALL, LC_CTYPE or LANG determine whether Unicode is used.

      Examples:
        syrinx watch
        syrinx watch --to 192.168.1.20:8000
        syrinx watch --once | grep xruns

      Exit codes: 0, also after SIGTERM; 64 for wrong usage; 69 if no node replies at the start.
      """)

  private static let patienceMicroseconds = 2e6
  private static let completeMicroseconds = 4e6
  private static let snapshotRows = 34
  private static let usualColumns = 80

  static func run(_ given: CommandPage.Given) throws(Failure) {
    try given.checkNoArguments()
    let seconds = try given.seconds("seconds")
    let node = try WatchedNode(at: given.place)
    try find(node)
    defer { node.leave() }
    if FullScreen.isPossible, !given.has("once") {
      try Failure.of(.fault, "", try WatchSession(node, seconds: seconds)).run()
    } else {
      try printOnce(node, seconds: seconds ?? 0)
    }
  }

  /// Waits until the node has replied.
  private static func find(_ node: WatchedNode) throws(Failure) {
    let deadline = HostTime.steady + patienceMicroseconds
    turn(node, until: { node.isKnown }, deadline: deadline)
    guard node.isKnown else { throw NodePlace.noAnswer(from: node.place) }
  }

  private static func printOnce(_ node: WatchedNode, seconds: Double) throws(Failure) {
    let start = HostTime.steady
    let isComplete = { node.isComplete && HostTime.steady >= start + seconds * 1e6 }
    turn(node, until: isComplete, deadline: start + max(completeMicroseconds, seconds * 1e6))
    let canvas = NodeScreen.canvas(
      of: node.picture, at: node.place, silentFor: node.silence,
      columns: Terminal.width ?? usualColumns, rows: snapshotRows, glyphs: .ofTheTerminal)
    // Its last line is about keys, which don't work here.
    try Failure.print(canvas.lines.dropLast().joined(separator: "\n") + "\n")
  }

  private static func turn(_ node: WatchedNode, until isDone: () -> Bool, deadline: Double) {
    while !isDone(), HostTime.steady < deadline {
      node.loop.turn(milliseconds: min(node.look(), 20))
    }
  }
}
