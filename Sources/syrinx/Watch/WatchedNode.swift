internal import Control
internal import OSC
internal import Posix
internal import Screen

/// A watched node, which is queried for its state, and whose replies make a picture.
///
/// It receives two messages per second, and a few more after changes.
final class WatchedNode {
  private static let askMicroseconds = 1e6
  // Updates lost on the network are requested again at this interval.
  private static let refreshMicroseconds = 30e6
  // Two replies may get lost.
  private static let patienceSeconds = 2.5
  private static let patienceWithTakes = 3e6
  // The token of the /sync after the subscription: all present values come before its reply.
  private static let token: Int32 = 0x3A7C

  /// The node's endpoint, HOST:PORT.
  let place: String
  /// The picture of the node.
  private(set) var picture = NodePicture()
  /// The event loop that watches the connection to the node.
  let loop = EventLoop()

  private let peer: OSCPeer
  // The watched end of the connection, open until the loop has forgotten it.
  private var watched: Descriptor?
  private var nextAsk = 0.0
  private var nextSubscribe = 0.0
  private var nextTakes = 0.0
  /// Whether the bindings are shown, and queried.
  var asksBindings = false { didSet { if asksBindings, !oldValue { nextAsk = 0 } } }
  private var takesAsked = 0.0
  // In seconds; nil before the first reply.
  private var lastHeard: Double?
  private var isSynced = false
  private var areTakesListed = false

  init(at place: NodePlace) throws(Failure) {
    self.place = place.text
    peer = try place.peer()
    peer.whenReceived = { [unowned self] in take($0, $1) }
  }

  /// Whether the node has ever replied.
  var isKnown: Bool { picture.engine != nil }

  /// Whether everything that the node reports on its own has arrived.
  var isComplete: Bool { isSynced && areTakesListed && picture.hasLevels }

  /// The seconds since the node's last reply, if overdue.
  var silence: Double? {
    guard let lastHeard else { return nil }
    let seconds = HostTime.steady / 1e6 - lastHeard
    return seconds > Self.patienceSeconds ? seconds : nil
  }

  /// Processes the replies, and sends the queries that are due.
  ///
  /// Returns the delay until the next poll in milliseconds.
  func look() -> Int {
    while peer.receive(milliseconds: 0) {}
    let now = HostTime.steady
    picture.advance(to: now / 1e6)
    if now >= nextAsk {
      nextAsk = now + Self.askMicroseconds
      peer.send("/ping")
      if isKnown { peer.send("/status") }
      if isKnown, asksBindings { peer.send("/midi/bindings") }
    }
    if isKnown, silence == nil {
      if now >= nextSubscribe { subscribe(now) }
      if picture.isListingTakes, now >= takesAsked + Self.patienceWithTakes {
        picture.takesAreLost()
      }
      if picture.areTakesOld, now >= nextTakes {
        nextTakes = now + Self.askMicroseconds
        takesAsked = now
        picture.takesAreAsked()
        peer.send("/takes", .int32(0), .int32(Int32(NodePicture.mostTakes)))
      }
    }
    followConnection()
    return max(1, Int((nextAsk - now) / 1e3))
  }

  /// Watches a new connection instead of a closed one, which would always be readable.
  private func followConnection() {
    let socket = peer.socket?.descriptor
    guard socket !== watched else { return }
    if let watched { loop.forget(watched) }
    if let socket { loop.watch(socket) {} }
    watched = socket
  }

  /// Unsubscribes from the node.
  func leave() {
    if isKnown { peer.send("/unsubscribe") }
  }

  /// Sends the node a key's command.
  func send(_ path: String, _ arguments: Argument...) { peer.send(path, arguments) }

  private func subscribe(_ now: Double) {
    nextSubscribe = now + Self.refreshMicroseconds
    peer.send("/subscribe", .string(NodePicture.pattern))
    peer.send("/status")
    peer.send("/sync", .int32(Self.token))
  }

  private func take(_ path: String, _ arguments: [Argument]) {
    let (engine, wasSilent) = (picture.engine, silence != nil)
    lastHeard = HostTime.steady / 1e6
    picture.take(path, arguments, at: HostTime.steady / 1e6)
    switch path {
    // The node was restarted, or has dropped this subscriber as unreachable.
    case "/pong" where picture.engine != engine || wasSilent: nextSubscribe = 0
    case "/synced": isSynced = true
    case "/takes/end": areTakesListed = true
    default: break
    }
  }
}
