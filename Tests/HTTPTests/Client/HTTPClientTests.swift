import Foundation
import Posix
import TestSupport
import Testing

@testable import HTTP

/// A client and a server that does not answer, or sends what was not expected.
@Suite struct HTTPClientTests {
  /// A listener whose connections are accepted by the kernel, and never answered.
  private func silentServer() throws -> (listener: Socket, call: HTTPCall) {
    let listener = try Socket(.stream, boundTo: Endpoint(address: .loopback4, port: 0))
    let url = try #require(HTTPPlace("http://127.0.0.1:\(listener.port)/"))
    var call = HTTPCall("GET", url)
    // Only the interruption ends it.
    (call.seconds, call.patience) = (3600, 3600)
    return (listener, call)
  }

  /// Returns the fault of a request.
  private func fault(_ client: HTTPClient, _ call: HTTPCall) -> HTTPFault? {
    do throws(HTTPFault) {
      _ = try client.perform(call)
      return nil
    } catch {
      return error
    }
  }

  @Test(.timeLimit(.minutes(5)))
  func `an interruption ends a request that waits for its answer`() throws {
    let (listener, call) = try silentServer()
    let interruption = HTTPInterruption()
    let faults = Monitor<[HTTPFault?]>([])
    let thread = Foundation.Thread { [self] in
      let client = HTTPClient(userAgent: "test", interruption: interruption)
      let found = fault(client, call)
      faults.change { $0.append(found) }
    }
    thread.start()
    var connection: (Socket, Endpoint)?
    try waitUntil("the client is connected") {
      connection = listener.accept()
      return connection != nil
    }
    interruption.interrupt()
    let found = faults.wait(seconds: waitLimit) { $0.first } ?? nil
    #expect(found == .unreachable("the request to 127.0.0.1 was interrupted"))
    withExtendedLifetime(connection) {}
  }

  @Test func `requests after an interruption fail at once`() throws {
    let (listener, call) = try silentServer()
    let interruption = HTTPInterruption()
    let client = HTTPClient(userAgent: "test", interruption: interruption)
    interruption.interrupt()
    #expect(
      fault(client, call) == .unreachable("the request to 127.0.0.1 was interrupted"))
    #expect(listener.accept() == nil)
    // Another client is not affected.
    var short = call
    short.seconds = 0.05
    #expect(fault(HTTPClient(userAgent: "test"), short) == .unreachable("127.0.0.1 timed out"))
  }
}
