import Doors
import Posix
import Testing

/// The turns of datagrams' senders.
@Suite struct DatagramTurnsTests {
  private func datagram(
    _ number: Int, from address: String, port: UInt16 = 9000, bytes: Int = 4
  ) -> DatagramTurns.Datagram {
    var contents = [UInt8](repeating: 0, count: bytes)
    withUnsafeBytes(of: UInt32(number)) { contents.replaceSubrange(0..<4, with: $0) }
    let endpoint = Endpoint(address: IPAddress(address)!, port: port)
    return DatagramTurns.Datagram(
      contents, from: DatagramReader.Sender(endpoint: endpoint, isOnLoopback: false),
      socket: 0)
  }

  private func number(_ datagram: DatagramTurns.Datagram) -> Int {
    Int(datagram.bytes.withUnsafeBytes { $0.loadUnaligned(as: UInt32.self) })
  }

  private func all(_ turns: inout DatagramTurns) -> [DatagramTurns.Datagram] {
    var all: [DatagramTurns.Datagram] = []
    while let next = turns.next() { all.append(next) }
    return all
  }

  @Test func `the order of a sender's datagrams is kept`() {
    var turns = DatagramTurns()
    for number in 0..<900 {
      let dropped = turns.append(datagram(number, from: "10.0.0.\(number % 3 + 1)"))
      #expect(dropped == 0)
    }
    #expect(turns.count == 900)
    let all = all(&turns)
    for sender in 1...3 {
      let address = IPAddress("10.0.0.\(sender)")!
      let numbers = all.filter { $0.sender.endpoint.address == address }.map(number)
      #expect(numbers == Array(stride(from: sender - 1, to: 900, by: 3)))
    }
    #expect(turns.count == 0 && turns.next() == nil)
  }

  @Test func `a flood delays another sender by one datagram`() {
    // Rarely, both share a place by chance.
    var late = 0
    for sender in 1...50 {
      var turns = DatagramTurns()
      for number in 0..<1000 { _ = turns.append(datagram(number, from: "10.0.0.1")) }
      let other = "10.0.1.\(sender)"
      for number in 0..<3 { _ = turns.append(datagram(number, from: other)) }
      let first = all(&turns).prefix(6).filter { $0.sender.endpoint.address == IPAddress(other)! }
      if first.map(number) != [0, 1, 2] { late += 1 }
    }
    #expect(late <= 10)
  }

  @Test func `ports of one address take turns, and many of them delay no other address`() {
    var late = (ports: 0, addresses: 0)
    for sender in 1...50 {
      var turns = DatagramTurns()
      for number in 0..<1000 { _ = turns.append(datagram(number, from: "127.0.0.1", port: 9000)) }
      _ = turns.append(datagram(7, from: "127.0.0.1", port: UInt16(10_000 + sender)))
      if !all(&turns).prefix(2).contains(where: { $0.sender.endpoint.port != 9000 }) {
        late.ports += 1
      }
      for number in 0..<4000 {
        _ = turns.append(datagram(number, from: "10.0.0.1", port: UInt16(1024 + number)))
      }
      let other = "10.0.1.\(sender)"
      _ = turns.append(datagram(0, from: other))
      let first = all(&turns).prefix(2)
      if !first.contains(where: { $0.sender.endpoint.address == IPAddress(other)! }) {
        late.addresses += 1
      }
    }
    #expect(late.ports <= 15 && late.addresses <= 10)
  }

  @Test func `a flood displaces its own oldest datagrams`() {
    var turns = DatagramTurns()
    var dropped = 0
    _ = turns.append(datagram(5, from: "10.0.0.2", port: 1))
    for number in 0..<10_000 { dropped += turns.append(datagram(number, from: "10.0.0.1")) }
    let all = all(&turns)
    let kept = all.filter { $0.sender.endpoint.address == IPAddress("10.0.0.1")! }.map(number)
    #expect(kept == Array(10_000 - kept.count..<10_000))
    #expect(kept.count + dropped >= 10_000 && kept.count <= DatagramTurns.mostOfOne)
  }

  @Test func `large datagrams and many senders take a limited amount of memory`() {
    var turns = DatagramTurns()
    for number in 0..<20 { _ = turns.append(datagram(number, from: "10.0.0.1", bytes: 60_000)) }
    #expect(turns.count == DatagramTurns.mostBytesOfOne / 60_000)
    for number in 0..<3000 {
      _ = turns.append(
        datagram(number, from: "10.1.\(number / 250).\(number % 250 + 1)", bytes: 60_000))
    }
    #expect(turns.count <= DatagramTurns.mostBytes / 60_000)
    #expect(all(&turns).reduce(0) { $0 + $1.bytes.count } <= DatagramTurns.mostBytes)
    let dropped = turns.append(datagram(1, from: "10.0.0.1", bytes: 60_000))
    #expect(dropped == 0 && turns.count == 1)
  }
}
