internal import Control
internal import Glibc
internal import Posix

/// The program: finds the command on the command line, and runs it.
@main
enum Syrinx {
  private struct Command: Sendable {
    let page: CommandPage
    let run: @Sendable (CommandPage.Given) throws(Failure) -> Void
  }

  private static let commands: [String: Command] = [
    "run": Command(page: RunCommand.page, run: RunCommand.run),
    "render": Command(page: RenderCommand.page, run: RenderCommand.run),
    "takes": Command(page: TakesCommand.page, run: TakesCommand.run),
    "send": Command(page: SendCommand.page, run: SendCommand.run),
    "status": Command(page: StatusCommand.page, run: StatusCommand.run),
    "web": Command(page: WebCommand.page, run: WebCommand.run),
    "watch": Command(page: WatchCommand.page, run: WatchCommand.run),
    "addresses": Command(page: AddressesCommand.page, run: AddressesCommand.run),
    "board": Command(page: BoardCommand.page, run: BoardCommand.run),
    "layout": Command(page: LayoutCommand.page, run: LayoutCommand.run),
    "doctor": Command(page: DoctorCommand.page, run: DoctorCommand.run),
  ]

  private static let overview = CommandPage(
    name: "", summary: "Syrinx: a headless JACK node for live sound, played over OSC.",
    usage: "syrinx [COMMAND] [OPTIONS]",
    options: "",
    details: """
      Commands:
        run        Start the node (so does syrinx alone)
        render     Play a sound file through the node into another file
        takes      List, play, move, describe and mend the takes
        send       Send OSC messages, and print the answers
        status     Print how a running node is, each value by its name
        watch      Show how a running node is, on a full screen
        addresses  List all OSC addresses with their ranges and help
        board      Run a board for a band's posts, apart from any node
        layout     Write a surface for TouchOSC or Open Stage Control
        doctor     Look at the machine, and say what stands in the way of good sound

      `syrinx COMMAND --help` tells more of each.
      """)

  static func main() {
    Heap.returnFreedMemory()
    signal(SIGPIPE, SIG_IGN)
    // The write call reports an exceeded file size limit.
    signal(SIGXFSZ, SIG_IGN)
    do throws(Failure) {
      try checkArguments()
      try start(Array(CommandLine.arguments.dropFirst()))
    } catch {
      Environment.sayLast(error.message)
      Departure.leave(error.code.rawValue)
    }
    Departure.leave(0)
  }

  /// Throws if an argument is not valid UTF-8: decoding it would silently change it.
  private static func checkArguments() throws(Failure) {
    for (index, text) in CommandLine.arguments.enumerated().dropFirst() {
      guard let bytes = CommandLine.unsafeArgv[index], String(validatingCString: bytes) == nil
      else { continue }
      throw Failure(.usage, "argument \(index), \(quoted(text)), is not UTF-8")
    }
  }

  private static func start(_ arguments: [String]) throws(Failure) {
    let first = arguments.first
    if first == "--help" || first == "-h" || first == "help" {
      try Failure.print(overview.help)
      return
    }
    if let first, let command = commands[first] {
      try start(command, Array(arguments.dropFirst()))
    } else if let first, !first.hasPrefix("-") {
      let hint =
        first.nearest(of: commands.keys).map { "is `syrinx \($0)` meant?" }
        ?? "`syrinx --help` lists them"
      throw Failure(.usage, "there is no command \(quoted(first)); \(hint)")
    } else {
      try start(Command(page: RunCommand.page, run: RunCommand.run), arguments)
    }
  }

  private static func start(_ command: Command, _ arguments: [String]) throws(Failure) {
    let given = try command.page.parse(arguments)
    if given.has("help") {
      try Failure.print(command.page.help)
    } else if given.has("version") {
      try Failure.print("syrinx \(Version.text)\n")
    } else {
      try command.run(given)
    }
  }
}
