internal import Control
internal import Posix

/// The command `syrinx doctor`: checks the machine for causes of dropouts, with advice for each.
enum DoctorCommand {
  static let page = CommandPage(
    name: "doctor",
    summary: "Look at the machine, and say what stands in the way of good sound.",
    usage: "syrinx doctor [OPTIONS]",
    options: """
      -s, --server NAME: JACK server to look for
      -p, --port PORT: Port to look at (default: 8000)
      --home DIR: Home folder to look at
      """,
    details: """
      Each line begins with ok, with note for what could be better, or with stop for what keeps
      the node from running; below it stands what to do. Ends with 0 unless there is a stop,
      else with the code that `syrinx run` would end with.
      """)

  static func run(_ given: CommandPage.Given) throws(Failure) {
    let options = try RunOptions(given)
    let findings = [
      Checkup.soundServer(options.server), Checkup.realtime(), Checkup.memoryLock(),
      Checkup.governor(), Checkup.port(options), Checkup.home(options.home),
      Checkup.runtimeFolder(), Checkup.avahi(),
    ]
    for finding in findings { try Failure.print(finding.text) }
    if let stop = findings.first(where: { $0.state == .stop }) {
      throw Failure(stop.code, "the node can't run like this")
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

  var text: String {
    let label = state.rawValue + String(repeating: " ", count: 6 - state.rawValue.count)
    return label + what + "\n" + advice.map { "        → \($0)\n" }.joined()
  }
}
