internal import Control
internal import Glibc
internal import Posix

/// A command of the program.
protocol Command {
  static var page: CommandPage { get }
  static func run(_ given: CommandPage.Given) throws(Failure)
}

/// The program: finds the command on the command line, and runs it.
@main
enum Syrinx {
  /// All commands, in the order of the overview.
  static var commands: [any Command.Type] {
    [
      RunCommand.self, RenderCommand.self, TakesCommand.self, LoopsCommand.self, SendCommand.self,
      StatusCommand.self, LostCommand.self, RigCommand.self, WebCommand.self, WatchCommand.self,
      AddressesCommand.self, BoardCommand.self,
      LayoutCommand.self, CalibrateCommand.self, DoctorCommand.self, ManualCommand.self,
      CompletionsCommand.self,
    ]
  }

  /// The help page of the program.
  static let overview = CommandPage(
    name: "", summary: "Syrinx: a headless JACK node for live sound, controlled over OSC.",
    usage: "syrinx [COMMAND] [OPTIONS]",
    options: "",
    details: """
      Commands:
        run          Start the node (default without a command)
        render       Render sound files through the engine
        takes        List, play, edit, import, export and repair takes
        loops        List and export saved loops, also from a damaged file
        send         Send OSC messages, and print the replies
        status       Print the status of a running node
        lost         List when a running node lost sound, and why
        rig          List the nodes of this machine and of the network
        watch        Monitor a running node on a full screen
        web          Show the code that opens a node's page on a phone
        addresses    List all OSC addresses with their types, ranges and help
        board        Run a feed server, independent of a node
        layout       Write a surface for TouchOSC or Open Stage Control
        calibrate    Measure the latency of the sound card that JACK doesn't report
        doctor       Check this machine for causes of dropouts
        manual       Print a manual page, in the format of man
        completions  Print the completions for a shell

      `syrinx help COMMAND` and `syrinx COMMAND --help` describe a command.
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
    if first == "help" {
      try help(Array(arguments.dropFirst()))
    } else if first == "--help" || first == "-h" {
      try Failure.print(overview.help)
    } else if let first, !first.hasPrefix("-") {
      try start(try command(first), Array(arguments.dropFirst()))
    } else {
      try start(RunCommand.self, arguments)
    }
  }

  /// Prints the page of a command, or the overview without one.
  private static func help(_ words: [String]) throws(Failure) {
    if words.count > 1 { throw .usage("`syrinx help` takes one command", got: words[1]) }
    let name = words.first { !["help", "--help", "-h"].contains($0) }
    try Failure.print(
      try name.map { name throws(Failure) in
        try command(name, after: "help ").page.help
      } ?? overview.help)
  }

  /// Returns the command of a name, or throws with the closest one, as it is typed after `words`.
  static func command(
    _ name: String, after words: String = ""
  ) throws(Failure) -> any Command.Type {
    if let command = commands.first(where: { $0.page.name == name }) { return command }
    let hint =
      name.nearest(of: commands.map { $0.page.name })
      .map { "did you mean `syrinx \(words)\($0)`?" } ?? "`syrinx --help` lists all"
    throw Failure(.usage, "unknown command \(quoted(name)); \(hint)")
  }

  private static func start(_ command: any Command.Type, _ arguments: [String]) throws(Failure) {
    let given = try command.page.parse(arguments)
    if given.has("help") {
      try Failure.print(command.page.help)
    } else if given.has("version") {
      try Failure.print(BuildVersion.line + "\n")
    } else {
      try command.run(given)
    }
  }
}
