internal import Engine
internal import Feed
internal import InstrumentFiles
internal import Library
internal import OSC
internal import Posix

/// The folders and libraries of a node.
struct Setup {
  var home: String?
  var presets = PresetLibrary()
  var musicFolders: [String] = []
  var instruments = InstrumentLibrary()
  /// The board in the data directory.
  let ownBoard: HomeBoard
}

/// The part of the node that features may use.
final class Context {
  /// The client name in the JACK graph and on the network.
  var name: String
  let setup: Setup
  let soundServer: any SoundServer
  unowned let dispatcher: Dispatcher

  init(name: String, setup: Setup, soundServer: any SoundServer, dispatcher: Dispatcher) {
    self.name = name
    self.setup = setup
    self.soundServer = soundServer
    self.dispatcher = dispatcher
  }

  var engine: Engine { dispatcher.engine }

  var table: AddressTable { dispatcher.table }

  /// The output to clients.
  var replySender: ReplySender { dispatcher.replySender }

  /// The input of the engine.
  var sender: CommandSender { dispatcher.sender }

  /// The persisted state.
  var keeper: StateKeeper { dispatcher.keeper }

  /// The steady time, in microseconds.
  func now() -> Double { dispatcher.now() }

  private var features: Features { dispatcher.features }

  /// Another feature of the node.
  subscript<Wanted: Feature>(wanted: Wanted.Type) -> Wanted { features[wanted] }

  /// All features of the node.
  var allFeatures: [any Feature] { features.all }

  // MARK: - Audio thread

  /// The state that the engine publishes.
  var shared: Shared { engine.shared }

  /// The engine's sample rate, in Hz.
  var sampleRate: Int { shared.sampleRate }

  /// The current clock of the engine.
  var clock: ClockReading { shared.clockReading }

  /// The number of loops.
  var loopCount: Int { shared.loops.count }

  /// The maximum length of a loop, in seconds.
  var loopSeconds: Double { shared.loops.seconds }

  /// The current state of a loop, counted from 0.
  func loop(_ index: Int) -> PublishedLoop.Reading { shared.loops[index].state.read() }

  /// The current value of a parameter, including accepted commands.
  subscript(parameter: Parameter) -> Float { sender.values[parameter] }

  /// Queues all commands, or throws and queues none.
  func submit(_ commands: [PlannedCommand], for request: Request) throws(Refusal) {
    try sender.submit(commands, from: request.origin)
  }

  /// Queues commands without a client.
  func submit(_ commands: [PlannedCommand], path: String = "") throws(Refusal) {
    try sender.submit(commands, from: Origin(path: path, client: nil))
  }

  /// Runs an internally generated message through the dispatcher, immediately or at a time in microseconds
  /// of the engine's clock.
  ///
  /// The lock applies to one that a pedal or key has caused. `client` is told of refusals that come later.
  func perform(
    _ path: String, _ arguments: [Argument], at due: Double? = nil, isPressed: Bool = false,
    for client: Client? = nil
  ) throws(Refusal) {
    try dispatcher.perform(path, arguments, at: due, isPressed: isPressed, for: client)
  }

  // MARK: - Clients

  /// The subscriptions of all clients, and their updates.
  var notifier: ChangeNotifier { replySender.notifier }

  /// The initial snapshot for a client that has just subscribed; nil if it has no subscription.
  func snapshot(for client: Client, covering covered: [Int]) -> InitialSnapshot? {
    notifier.subscriptions.byClient[client].map {
      InitialSnapshot(
        client: client, target: $0.target, covered: covered, table: table, replySender: replySender)
    }
  }

  /// The current values of an address; nil if it has none.
  func values(of address: Address) -> [Argument]? { notifier.read(address) }

  /// Marks the values of addresses as changed.
  func changed(_ paths: String...) { for path in paths { notifier.changed(path) } }

  /// Whether a client has subscriptions.
  func isSubscribed(_ client: Client) -> Bool { notifier.isSubscribed(client) }

  /// Whether the subscriptions of a client cover an address.
  func isSubscribed(_ client: Client, to path: String) -> Bool {
    notifier.isSubscribed(client, to: path)
  }

  /// Whether two clients may be the same program, whose packets come from another port each time, such as
  /// `syrinx send`: on one host, and without subscriptions.
  func mayBeSame(_ one: Client, _ other: Client) -> Bool {
    one.endpoint.address == other.endpoint.address && !isSubscribed(one) && !isSubscribed(other)
  }

  /// Whether any client subscribes to an address.
  func isWanted(_ path: String) -> Bool { notifier.isWanted(path) }

  /// Sends messages to the subscribers of any of some addresses.
  func send(
    _ messages: @autoclosure () -> [(path: String, arguments: [Argument])],
    toSubscribersOf paths: [String]
  ) {
    let targets = notifier.targets(wanting: paths)
    guard !targets.isEmpty else { return }
    for message in messages() {
      let packet = [UInt8](address: message.path, message.arguments)
      for target in targets { replySender.send(packet, to: target) }
    }
  }

  /// Sends an event to its subscribers.
  func announce(_ event: Event, _ values: [Argument]) { replySender.announce(event, values) }

  /// Sends a one-time message to the subscribers of an address.
  func announce(_ path: String, _ values: [Argument]) { replySender.announce(path, values) }

  /// Reports an error that no message caused: to a client, and to subscribers of errors or the address.
  func report(_ refusal: Refusal, of path: String, to client: Client? = nil) {
    replySender.report(refusal, of: path, to: client)
    if client == nil { self[Speech.self].tellFault(refusal.message) }
  }
}
