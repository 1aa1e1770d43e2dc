import Foundation
import TestSupport
import Testing

extension NodeTests {
  /// How the command line handles mistakes.
  @Suite struct UsageTests {
    @Test(arguments: [
      (["rnu"], "unknown command \"rnu\"; did you mean `syrinx run`?"),
      (["jump"], "unknown command \"jump\"; `syrinx --help` lists all"),
      (["help", "rnu"], "unknown command \"rnu\"; did you mean `syrinx help run`?"),
      (["help", "run", "x"], "`syrinx help` takes one command; got \"x\""),
      (["run", "--prot", "1"], "unknown option --prot of `syrinx run`; did you mean --port?"),
      (
        ["run", "--nothing"],
        "unknown option --nothing of `syrinx run`; `syrinx run --help` lists all"
      ),
      (["takes", "lsit"], "unknown takes command \"lsit\"; did you mean `syrinx takes list`?"),
    ])
    func `a mistake is reported with the closest valid word`(arguments: [String], line: String)
      throws
    {
      let result = try NodeProcess.run(arguments)
      #expect(result.code == 64 && result.errors == "syrinx: \(line)\n")
    }

    @Test func `an argument that is not UTF-8 is refused`() throws {
      let process = Process()
      let errors = Pipe()
      process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
      process.arguments = [
        "bash", "-c", #"exec "$0" run -p 0 -s none --home /nowhere -n $'ow\xffl'"#,
        NodeProcess.binary.path,
      ]
      process.standardError = errors
      try process.run()
      let text = String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
      process.waitUntilExit()
      #expect(process.terminationStatus == 64)
      #expect(text == "syrinx: argument 9, \"ow\u{FFFD}l\", is not UTF-8\n")
    }

    @Test(.hangLimit)
    func `ready has the absolute path of a relative data directory`() throws {
      let server = try JackServer()
      let folder = try TemporaryFolder()
      let node = try NodeProcess(
        server: server, home: "./home//of/owls/", folder: folder.url.path)
      #expect(node.ready["home"] == folder.path("home/of/owls"))
      #expect(node.end() == 0)
    }
  }
}
