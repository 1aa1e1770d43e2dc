import Foundation
import OSC
import Posix
import TestSupport
import Testing

extension NodeTests {
  /// The running node while a client sends more than it can handle.
  @Suite struct FloodTests {
    private let server: JackServer
    init() throws { server = try JackServer() }

    @Test(.hangLimit)
    func `a client is answered while another one floods the node`() throws {
      let (node, phone) = try startNode(on: server)
      let (port, isOver, hasEnded) = (node.port, Guarded(false), Monitor(false))
      let flood = Foundation.Thread {
        let packet = [UInt8](address: "/ping", [])
        if let other = try? Phone(port: port) {
          // As many as the socket's buffer holds: if the flood has more of the processor than the node, the
          // system drops nearly all datagrams, also those of the other client.
          while !isOver.withLock({ $0 }) {
            for _ in 0..<100 { other.send(bytes: packet) }
            usleep(1000)
          }
        }
        hasEnded.change { $0 = true }
      }
      flood.start()
      defer {
        isOver.withLock { $0 = true }
        _ = hasEnded.wait(seconds: waitLimit) { $0 ? true : nil }
      }
      // The flood is there.
      try waitUntil("the node receives the flood") {
        (phone.ask("/status/messages")?.arguments[0].number ?? 0) > 10_000
      }
      for number: Int32 in 1...50 {
        // The system may drop a datagram while the node doesn't get the processor.
        try waitUntil("its /sync is answered") {
          phone.send("/sync", .int32(number))
          return phone.receive("/synced", seconds: 2)?.arguments == [.int32(number)]
        }
      }
      isOver.withLock { $0 = true }
      _ = hasEnded.wait(seconds: waitLimit) { $0 ? true : nil }
      #expect(node.end() == 0)
    }
  }
}
