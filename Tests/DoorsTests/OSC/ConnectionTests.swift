import Control
import Doors
import OSC
import Posix
import Testing

/// The connection of a TCP client, of which the other end is the test's.
@Suite struct ConnectionTests {
  private let connection: Connection
  private let other: Socket

  init() throws {
    let (own, other) = try Socket.pair()
    self.other = other
    let endpoint = Endpoint(address: .loopback4, port: 9000)
    connection = Connection(
      socket: own, now: HostTime.steady,
      client: Client(
        endpoint: endpoint, transport: .stream(connection: 1), isOnThisMachine: true))
  }

  /// Sends packets that are numbered by their last argument.
  private func send(_ numbers: Range<Int32>) {
    for number in numbers {
      let packet = [UInt8](address: "/sync", [.int32(number)])
      _ = other.write(StreamFraming.frame(packet, .lengthPrefix)[...])
    }
  }

  /// Takes a turn of so many microseconds, and returns the numbers of its packets.
  private func turn(_ microseconds: Double) -> (Connection.State, [UInt8]) {
    var numbers: [UInt8] = []
    let state = connection.receive(now: HostTime.steady, microseconds: microseconds) {
      numbers.append($0.last!)
    }
    return (state, numbers)
  }

  @Test func `packets that exceed a turn wait for the next ones, in order`() {
    send(0..<4)
    for number: UInt8 in 0..<3 {
      #expect(turn(0) == (.open, [number]))
      #expect(connection.hasWaiting)
    }
    #expect(turn(0) == (.open, [3]))
    #expect(!connection.hasWaiting)
    #expect(turn(0) == (.open, []))
    send(4..<200)
    let (state, numbers) = turn(60e6)
    #expect(state == .open)
    #expect(numbers == Array(4..<200))
  }

  @Test func `a client that closes its side gets its last packets handled first`() {
    send(0..<3)
    other.endWriting()
    #expect(turn(0) == (.open, [0]))
    #expect(turn(0) == (.open, [1]))
    let numbers: [UInt8]
    var state: Connection.State
    (state, numbers) = turn(0)
    // Its end can be read later than its data.
    while case .open = state { (state, _) = turn(0) }
    #expect(state == .ended)
    #expect(numbers == [2])
  }

  @Test func `of a client that doesn't read its replies, the rest is dropped`() {
    send(0..<3)
    let reply = [UInt8](repeating: 0, count: 60_000)
    let state = connection.receive(now: HostTime.steady, microseconds: 60e6) { packet in
      #expect(packet.last == 0)
      // More than any system buffers for a socket.
      for _ in 0..<60 { connection.send(reply) }
    }
    #expect(state == .behind)
  }
}
