internal import Control
internal import Engine
internal import Glibc
internal import Posix

/// The program that takes part in a session of Ableton Link: a thread that starts it, and starts it again.
///
/// It is a program of its own because Link's license is that of GNU.
final class LinkProgram: LinkSession, Sendable {
  /// News of the program.
  enum News: Sendable {
    case report(LinkReport)
    /// The program has ended.
    case gone
    /// A line for the user.
    case line(String)
  }

  private static let name = "syrinx-link"
  // The time before it is started again, in milliseconds.
  private static let pause: Int32 = 1000

  private struct State {
    var program: Companion?
    var tempo: Float
    var quantum: Int
    var isEnding = false
  }

  private let state: Guarded<State>
  private let inbox: Shared
  private let tell: @Sendable (News) -> Void

  /// Creates the session, which passes beats on to an engine, and calls `tell` on its own thread.
  init(
    tempo: Float, quantum: Int, engine shared: Shared, tell: @escaping @Sendable (News) -> Void
  ) {
    state = Guarded(State(tempo: tempo, quantum: quantum))
    inbox = shared
    self.tell = tell
  }

  /// Starts the thread.
  func start() {
    do throws(SystemError) {
      try Thread.start("link") { [self] in work() }
    } catch {
      tell(.line("--link: \(error)"))
    }
  }

  // Given, or beside the node, where a build has it, or in the search path.
  private static var path: String {
    if let given = Environment["SYRINX_LINK"] { return given }
    guard let own = Environment.programPath, let slash = own.lastIndex(of: "/") else { return name }
    let beside = "\(own[...slash])\(name)"
    return access(beside, X_OK) == 0 ? beside : name
  }

  private func work() {
    while true {
      let (tempo, quantum) = state.withLock { ($0.tempo, $0.quantum) }
      do throws(SystemError) {
        guard let program = try Companion([Self.path, "\(tempo)", "\(quantum)"]) else {
          tell(.line("--link: \(Self.name) is not installed; scripts/link builds it"))
          return
        }
        let isEnding = state.withLock { state in
          state.program = program
          return state.isEnding
        }
        if isEnding { program.end() }
        follow(program)
        program.awaitEnd()
        inbox.link.put(nil)
        tell(.gone)
      } catch {
        tell(.line("--link: \(error)"))
      }
      let isEnding = state.withLock { state in
        state.program = nil
        return state.isEnding
      }
      if isEnding { return }
      tell(.line("--link: \(Self.name) has ended; starting it again"))
      _ = poll(nil, 0, Self.pause)
    }
  }

  private func follow(_ program: Companion) {
    var latest: LinkReport?
    program.readLines { line in
      guard let report = LinkReport(line, lead: HostTime.steadyLeadOverRaw) else { return }
      inbox.link.put(report.reading)
      if let latest, report.isLike(latest) { return }
      latest = report
      tell(.report(report))
    }
  }

  /// Leaves the session.
  func end() {
    state.withLock { state in
      state.isEnding = true
      state.program?.end()
    }
  }

  func setTempo(_ beatsPerMinute: Float) { send("tempo", beatsPerMinute) }

  func bringTempo(_ beatsPerMinute: Float) { send("bring", beatsPerMinute) }

  private func send(_ word: String, _ beatsPerMinute: Float) {
    state.withLock { state in
      state.tempo = beatsPerMinute
      state.program?.send("\(word) \(beatsPerMinute)")
    }
  }

  func bringBeat(_ beat: Double, at microseconds: Double) {
    let raw = Int64(microseconds - HostTime.steadyLeadOverRaw)
    state.withLock { _ = $0.program?.send("beat \(beat) \(raw)") }
  }

  func setQuantum(_ beats: Int) {
    state.withLock { state in
      state.quantum = beats
      state.program?.send("quantum \(beats)")
    }
  }

  func setPlaying(_ value: Bool) {
    state.withLock { _ = $0.program?.send(value ? "start" : "stop") }
  }
}
