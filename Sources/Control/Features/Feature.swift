internal import Engine

/// A feature of the node: a set of OSC addresses and their handlers.
protocol Feature: AnyObject, SendableMetatype {
  /// The addresses, in listing order.
  static var addresses: [Address] { get }
  /// The addresses in a node with these loops.
  static func addresses(_ loops: LoopSetup) -> [Address]

  /// Creates the feature.
  ///
  /// The context is its only access to the node.
  init(_ context: Context)

  /// The background queues of the feature.
  ///
  /// The node delivers their results.
  var workers: [Worker] { get }
  /// Whether a write is in progress.
  var isWriting: Bool { get }

  /// Polls for state that changed on its own, at a time in microseconds of the host's steady clock.
  ///
  /// Returns the delay until the next poll in milliseconds, or nil if none is needed.
  func poll(_ now: Double) -> Int?
  /// Sends state that is not a single value to a new subscriber.
  func sendInitialState(_ snapshot: InitialSnapshot)
  /// Drops state held for disconnected clients.
  func clientsLeft(_ isGone: (Client) -> Bool)
  /// The specific refusal of an unknown address; nil if the feature has none.
  func refusal(ofUnknown path: String) -> Refusal?
  /// Ends requests to other machines, also later ones, so that the node needn't wait for them.
  func endRequests()
  /// Cancels pending work and clears session state.
  func beginSession()
}

extension Feature {
  static func addresses(_ loops: LoopSetup) -> [Address] { addresses }
  var workers: [Worker] { [] }
  var isWriting: Bool { false }
  func poll(_ now: Double) -> Int? { nil }
  func sendInitialState(_ snapshot: InitialSnapshot) {}
  func clientsLeft(_ isGone: (Client) -> Bool) {}
  func refusal(ofUnknown path: String) -> Refusal? { nil }
  func endRequests() {}
  func beginSession() {}
}

/// The features of one node, by type.
final class Features {
  /// All feature types, in the listing order of their addresses.
  ///
  /// A new feature adds a folder, and a line here.
  static let types: [any Feature.Type] = [
    ClientsFeature.self, Mixer.self, LiveHolds.self, HowlingGuard.self, Channel.self,
    PitchCorrection.self, HarmonySinging.self, Chain.self,
    Tempo.self, Player.self, Loops.self, LoopPersistence.self, Captures.self, Sessions.self,
    Takes.self,
    Pictures.self,
    Greeting.self, Presets.self, Scenes.self, Songs.self, Instruments.self, Fingerboard.self,
    Phrases.self, MIDI.self, Tuner.self, Speech.self, BoardFeed.self, SoundPorts.self, Latency.self,
    Status.self, LostBlocks.self, Warnings.self, Rig.self,
  ]

  private(set) var all: [any Feature] = []
  private var byType: [ObjectIdentifier: any Feature] = [:]

  /// Creates all features.
  func make(_ context: Context) {
    for type in Self.types {
      let feature = type.init(context)
      all.append(feature)
      byType[ObjectIdentifier(type)] = feature
    }
  }

  /// The feature of a type.
  subscript<Wanted>(_: Wanted.Type) -> Wanted {
    guard let feature = byType[ObjectIdentifier(Wanted.self)] as? Wanted else {
      preconditionFailure("\(Wanted.self) is not in Features.types, or not created yet")
    }
    return feature
  }
}
