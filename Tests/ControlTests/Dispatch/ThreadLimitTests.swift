import Control
import Foundation
import Library
import OSC
import Posix
import TestSupport
import Testing

/// Background work when no thread can be started.
@Suite struct ThreadLimitTests {
  /// Limits this process to its current threads.
  private static func forbidThreads() {
    // Root has no limit.
    if getuid() == 0 { precondition(setuid(65_534) == 0) }
    var limit = rlimit(rlim_cur: 1, rlim_max: 1)
    precondition(setrlimit(__rlimit_resource_t(6), &limit) == 0)
  }

  private static func fault(_ received: [Received]) -> String? {
    guard let error = received.first(where: { $0.address == "/error" }) else { return nil }
    return error.arguments.dropFirst().compactMap(\.text).joined(separator: ": ")
  }

  @Test func `a thread that can't be started is an error for the sender`() async {
    await #expect(processExitsWith: .success) {
      Self.forbidThreads()
      let error = #expect(throws: SystemError.self) { try Thread.start("one too many") {} }
      #expect(error?.description.hasPrefix("can't start the thread one too many: ") == true)
    }
  }

  @Test func `a node without threads refuses what needs one, and continues`() async {
    await #expect(processExitsWith: .success) {
      let folder = try TemporaryFolder()
      let desk = Desk(
        presets: PresetLibrary(own: folder.path("presets")), home: folder.path("home"))
      Self.forbidThreads()
      for _ in 0..<2 {
        let answer = desk.ask("/preset/save", .string("mine"))
        #expect(Self.fault(answer)?.hasPrefix("io: can't start the thread presets") == true)
      }
      var answer = desk.tell("/capture/on", .int32(1))
      for _ in 0..<100 where Self.fault(answer) == nil {
        desk.pass()
        answer += desk.take()
      }
      #expect(Self.fault(answer)?.hasPrefix("io: can't start the thread capture") == true)
      desk.pass()
      #expect(desk.tell("/capture/on").last?.arguments == [.int32(0)])
      #expect(!desk.node.isWriting)
      #expect(desk.tell("/mute") == [Received("/mute", [.int32(0)])])
    }
  }
}
