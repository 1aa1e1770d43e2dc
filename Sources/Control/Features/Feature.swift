internal import Engine

/// A part of what the node can do, in a folder of its own: its addresses, and what they do.
protocol Feature: AnyObject, SendableMetatype {
  /// Its addresses, in the order in which they are listed.
  static var addresses: [Address] { get }
  /// Its addresses in a node with these loops.
  static func addresses(_ loops: LoopSetup) -> [Address]

  /// The feature in a node, of which the context is all that it sees.
  init(_ context: Context)

  /// The workers that wait for disks and other machines for it: what they have done is told by the
  /// node.
  var workers: [Worker] { get }
  /// Whether something of it is on its way to the disk.
  var isWriting: Bool { get }

  /// Looks at what has happened by itself, at a time in microseconds of the host's steady clock;
  /// returns in how many milliseconds to look again, nil for any time.
  func poll(_ now: Double) -> Int?
  /// Tells a new subscriber what is told in a form of its own.
  func welcome(_ newcomer: Newcomer)
  /// Notes that clients have gone.
  func clientsLeft(_ isGone: (Client) -> Bool)
  /// The refusal of an address that there is none of, where the feature knows why; else nil.
  func refusal(ofUnknown path: String) -> Refusal?
  /// Ends what is under way, and forgets what was of the session before.
  func beginSession()
}

extension Feature {
  static func addresses(_ loops: LoopSetup) -> [Address] { addresses }
  var workers: [Worker] { [] }
  var isWriting: Bool { false }
  func poll(_ now: Double) -> Int? { nil }
  func welcome(_ newcomer: Newcomer) {}
  func clientsLeft(_ isGone: (Client) -> Bool) {}
  func refusal(ofUnknown path: String) -> Refusal? { nil }
  func beginSession() {}
}

/// The features of one node, by their types.
final class Features {
  /// All that there are, in the order in which their addresses are listed: a new one is a folder, and
  /// a line here.
  static let types: [any Feature.Type] = [
    Presence.self, Mixer.self, HowlingGuard.self, Chain.self, Tempo.self, Player.self, Loops.self,
    KeptLoops.self,
    Captures.self, Takes.self,
    Pictures.self, Greeting.self, Presets.self, Songs.self, Instruments.self, Fingerboard.self,
    Phrases.self, MIDI.self, Tuner.self, BoardFeed.self, SoundPorts.self, Status.self,
  ]

  private(set) var all: [any Feature] = []
  private var byType: [ObjectIdentifier: any Feature] = [:]

  /// Makes all of them.
  func make(_ context: Context) {
    for type in Self.types {
      let feature = type.init(context)
      all.append(feature)
      byType[ObjectIdentifier(type)] = feature
    }
  }

  /// The feature of a type.
  subscript<Wanted: Feature>(_: Wanted.Type) -> Wanted {
    guard let feature = byType[ObjectIdentifier(Wanted.self)] as? Wanted else {
      preconditionFailure("\(Wanted.self) is not among the features, or not made yet")
    }
    return feature
  }
}
