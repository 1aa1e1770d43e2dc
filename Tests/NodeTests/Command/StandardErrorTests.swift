import Foundation
import OSC
import TestSupport
import Testing

extension NodeTests {
  @Suite struct StandardErrorTests {
    private let server: JackServer
    init() throws { server = try JackServer() }

    /// A full pipe.
    private func fullPipe() -> Pipe {
      let pipe = Pipe()
      let number = pipe.fileHandleForWriting.fileDescriptor
      let flags = fcntl(number, F_GETFL)
      _ = fcntl(number, F_SETFL, flags | O_NONBLOCK)
      // Single bytes at the end, which fill the rest of a page, too.
      for count in [4096, 1] {
        let bytes = [UInt8](repeating: UInt8(ascii: "."), count: count)
        while write(number, bytes, count) > 0 {}
      }
      // Writes must block for other users of the pipe.
      _ = fcntl(number, F_SETFL, flags)
      return pipe
    }

    /// Reads from a pipe until a word appears.
    private func read(_ pipe: Pipe, until word: String) -> String {
      var text = ""
      while !text.contains(word) {
        let data = pipe.fileHandleForReading.availableData
        if data.isEmpty { break }
        text += String(decoding: data, as: UTF8.self)
      }
      return text
    }

    @Test(.hangLimit)
    func `a node runs on while its log is not read, and later reports how much was dropped`()
      throws
    {
      let pipe = fullPipe()
      // The missing session manager is reported before the node is ready.
      let node = try NodeProcess(
        server: server, environment: ["NSM_URL": "osc.udp://127.0.0.1:1/"], errors: pipe)
      let phone = try Phone(port: node.port)
      server.kill()
      try phone.awaitServer("gone")
      try server.start()
      try phone.awaitServer("running")
      #expect(phone.sync())
      let before = Data(pipe.fileHandleForReading.readData(ofLength: 65_536))
      #expect(before.allSatisfy { $0 == UInt8(ascii: ".") })
      server.kill()
      let text = read(pipe, until: "lost the JACK server")
      #expect(text.contains(/syrinx: [1-9][0-9]* lines? dropped: the reader was too slow\n/))
      #expect(node.end() == 0)
    }

    @Test(.hangLimit)
    func `a node runs on with a full standard output, too`() throws {
      let pipe = fullPipe()
      let node = try NodeProcess(server: server, awaitsReady: false, errors: pipe, output: pipe)
      let phone = try Phone(port: try port(of: node))
      #expect(phone.ask("/mute")?.arguments == [.int32(0)])
      #expect(node.end() == 0)
    }

    @Test(.hangLimit)
    func `a command reports its failure to a slow reader`() throws {
      let pipe = fullPipe()
      let process = Process()
      process.executableURL = NodeProcess.binary
      process.arguments = ["nothing"]
      process.standardError = pipe
      try process.run()
      _ = pipe.fileHandleForReading.readData(ofLength: 65_536)
      #expect(read(pipe, until: "\n").contains("unknown command"))
      process.waitUntilExit()
      #expect(process.terminationStatus == 64)
    }

    /// The port in the URL file.
    private func port(of node: NodeProcess) throws -> UInt16 {
      let file = node.folder.appendingPathComponent("syrinx/syrinx.url")
      var port: UInt16?
      try waitUntil("the node has written its URL", every: 0.02) {
        let text = (try? String(contentsOf: file, encoding: .utf8)) ?? ""
        if text.hasSuffix("\n") { port = UInt16(text.dropLast().split(separator: ":").last ?? "") }
        return port != nil
      }
      return try #require(port)
    }
  }
}
