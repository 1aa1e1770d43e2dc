internal import Control
internal import JSON
internal import Posix

/// The command `syrinx doctor`: checks the machine for causes of dropouts, with advice for each.
enum DoctorCommand: Command {
  static let page = CommandPage(
    name: "doctor",
    summary: "Check this machine for causes of dropouts and startup failures.",
    usage: "syrinx doctor [OPTIONS]",
    options: """
      -s, --server NAME: Name of the JACK server (default: that of the environment)
      -p, --port PORT: OSC port of the node (default: 8000)
      --home DIR: Data directory of the node
      --json: As a JSON array of objects with check, state, what and advice
      """,
    details: """
      Each line starts with ok, with note for a possible improvement, or with stop for a fault that
      prevents the node from running, followed by a fix. The exit code is 0 without a stop, else
      that of `syrinx run`.
      """)

  static func run(_ given: CommandPage.Given) throws(Failure) {
    let options = try RunOptions(given)
    let findings = [
      ("server", Checkup.soundServer(options.server)), ("realtime", Checkup.realtime()),
      ("memory", Checkup.memoryLock()), ("governor", Checkup.governor()),
      ("port", Checkup.port(options)), ("home", Checkup.home(options.home)),
      ("runtime", Checkup.runtimeFolder()), ("avahi", Checkup.avahi()),
    ]
    if given.has("json") {
      let objects = findings.map { check, finding in "  " + finding.json(check).text }
      try Failure.print("[\n" + objects.joined(separator: ",\n") + "\n]\n")
    } else {
      for (_, finding) in findings { try Failure.print(finding.text) }
    }
    if let (_, stop) = findings.first(where: { $0.1.state == .stop }) {
      throw Failure(stop.code, "the node can't run")
    }
  }
}

/// The result of one check: its state, and advice.
struct Finding {
  enum State: String {
    case ok, note, stop
  }

  let state: State
  let what: String
  let advice: [String]
  let code: ExitCode

  static func ok(_ what: String) -> Finding {
    Finding(state: .ok, what: what, advice: [], code: .success)
  }

  static func note(_ what: String, _ advice: String...) -> Finding {
    Finding(state: .note, what: what, advice: advice, code: .success)
  }

  static func stop(_ code: ExitCode, _ what: String, _ advice: String...) -> Finding {
    Finding(state: .stop, what: what, advice: advice, code: code)
  }

  /// The finding as a JSON object, with the name of its check.
  func json(_ check: String) -> JSONText {
    ["check": check, "state": state.rawValue, "what": what, "advice": advice]
  }

  var text: String {
    let label = state.rawValue + String(repeating: " ", count: 6 - state.rawValue.count)
    return label + what + "\n" + advice.map { "        → \($0)\n" }.joined()
  }
}
