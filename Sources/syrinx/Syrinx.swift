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
    name: "", summary: "Syrinx: a headless JACK node for live sound, controlled over OSC.",
    usage: "syrinx [COMMAND] [OPTIONS]",
    options: "",
    details: """
      Commands:
        run        Start the node (default without a command)
        render     Render sound files through the engine
        takes      List, play, edit, import, export and repair takes
        send       Send OSC messages, and print the replies
        status     Print the status of a running node
        watch      Monitor a running node on a full screen
        web        Show the code that opens a node's page on a phone
        addresses  List all OSC addresses with their types, ranges and help
        board      Run a feed server, independent of a node
        layout     Write a surface for TouchOSC or Open Stage Control
        doctor     Check this machine for causes of dropouts

      `syrinx COMMAND --help` describes each command.
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
        first.nearest(of: commands.keys).map { "did you mean `syrinx \($0)`?" }
        ?? "`syrinx --help` lists all"
      throw Failure(.usage, "unknown command \(quoted(first)); \(hint)")
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
