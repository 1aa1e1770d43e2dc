internal import Control
internal import OSC
internal import Posix

/// One client's stream.
final class Connection {
  /// The state of a stream after something came.
  enum State {
    case open, ended, broken
  }

  // A message that takes longer than this to come whole never will.
  private static let messageSeconds = 5.0
  // What a client may leave lying; then it is gone, or too slow to play with.
  private static let mostUnsent = 1 << 20
  private static let mostAtOnce = 1 << 18

  let socket: Socket
  let client: Client
  private var framing = StreamFraming()
  private var insideSince: Double?
  private var unsent: [UInt8] = []
  private var isBroken = false
  private var finishingSince: Double?
  /// The time at which something came last, in microseconds.
  private(set) var lastHeard: Double

  init(socket: Socket, now: Double, client: Client) {
    self.socket = socket
    lastHeard = now
    self.client = client
  }

  /// Reads what has come and hands over the packets in it.
  func receive(now: Double, _ body: (UnsafeRawBufferPointer) -> Void) -> State {
    var taken = 0
    // Handed over only when the framing is at rest: an answer asks it for its style.
    var packets: [[UInt8]] = []
    defer { for packet in packets { packet.withUnsafeBytes(body) } }
    while taken < Self.mostAtOnce {
      let (reading, isWhole) = withUnsafeTemporaryAllocation(byteCount: 16_384, alignment: 8) {
        buffer -> (Socket.Reading, Bool) in
        let reading = socket.read(into: buffer)
        guard case .bytes(let count) = reading else { return (reading, true) }
        return (
          reading,
          framing.take(UnsafeRawBufferPointer(rebasing: buffer[..<count])) {
            packets.append(Array($0))
          }
        )
      }
      guard isWhole else { return .broken }
      switch reading {
      case .bytes(let count): taken += count
      case .nothingNow:
        noteProgress(now: now, packets: packets.count)
        return .open
      case .closed: return framing.isInsidePacket ? .broken : .ended
      }
    }
    noteProgress(now: now, packets: packets.count)
    return .open
  }

  private func noteProgress(now: Double, packets: Int) {
    lastHeard = now
    if packets > 0 { insideSince = nil }
    insideSince = framing.isInsidePacket ? insideSince ?? now : nil
  }

  /// Whether it hangs in the middle of a message, or does not take what it is sent.
  func isHopeless(now: Double) -> Bool {
    if let insideSince, now - insideSince > Self.messageSeconds * 1e6 { return true }
    return isBroken
  }

  /// Lets it go when its last answers are out.
  func finish(now: Double) { finishingSince = now }

  /// Whether nothing more is read from it.
  var isFinishing: Bool { finishingSince != nil }

  /// Whether its last answers are out, as far as they ever will be.
  func isFinished(now: Double) -> Bool {
    guard let finishingSince else { return false }
    flush()
    let seconds = (now - finishingSince) / 1e6
    // What the audio answers comes within a block or two.
    return isBroken || seconds > 1 || (seconds > 0.25 && unsent.isEmpty)
  }

  /// Whether something waits to be written.
  var hasUnsent: Bool { !unsent.isEmpty }

  /// Sends a packet, or as much of it as goes; the rest follows.
  func send(_ packet: [UInt8]) {
    guard !isBroken else { return }
    unsent += StreamFraming.frame(packet, framing.style ?? .lengthPrefix)
    flush()
    if unsent.count > Self.mostUnsent { isBroken = true }
  }

  /// Writes what waits.
  func flush() {
    while !unsent.isEmpty {
      guard let count = socket.write(unsent[...]) else {
        isBroken = true
        unsent.removeAll()
        return
      }
      if count == 0 { return }
      unsent.removeFirst(count)
    }
  }
}
