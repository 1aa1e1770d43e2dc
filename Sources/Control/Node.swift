package import Engine
package import Feed
package import InstrumentFiles
package import Library
package import OSC
internal import Posix

/// The control side of the node: receives packets, commands the engine, and replies.
///
/// Confined to one thread. Its functions are implemented by its features.
package final class Node {
  /// The address table.
  package let table: AddressTable
  let context: Context
  let features = Features()
  /// The persisted state of the node.
  package let keeper: StateKeeper
  /// The board in the data directory, for the servers that publish it.
  package let ownBoard: HomeBoard
  // The data directory, readable from other threads.
  private let homePlace: Guarded<String?>
  private let dispatcher: Dispatcher

  /// Creates a node that controls an engine, with a data directory and folders of songs.
  package init(
    name: String, engine: Engine, soundServer: any SoundServer, table: AddressTable = .node,
    presets: PresetLibrary = PresetLibrary(), home: String? = nil, musicFolders: [String] = [],
    instruments: InstrumentLibrary = InstrumentLibrary(),
    now: @escaping () -> Double = { HostTime.steady }
  ) {
    self.table = table
    keeper = StateKeeper(features: features, now: now)
    dispatcher = Dispatcher(table, engine, features: features, keeper: keeper, now: now)
    keeper.dispatcher = dispatcher
    dispatcher.sender.observer = keeper
    let place = Guarded(home)
    homePlace = place
    ownBoard = HomeBoard { place.withLock { $0 } }
    let setup = Setup(
      home: home, presets: presets, musicFolders: musicFolders, instruments: instruments,
      ownBoard: ownBoard)
    context = Context(
      name: name, setup: setup, soundServer: soundServer, dispatcher: dispatcher)
    features.make(context)
    keeper.recordInitialValues()
  }

  /// The client name in the JACK graph and on the network.
  package var name: String {
    get { context.name }
    set { context.name = newValue }
  }

  func setHomeOfBoard(_ home: String) { homePlace.withLock { $0 = home } }

  /// Whether the node received /quit.
  package var isQuitting: Bool { context[ClientsFeature.self].isQuitting }

  /// The counters for `/status`.
  package var counters: Counters {
    get { dispatcher.replySender.counters }
    set { dispatcher.replySender.counters = newValue }
  }

  /// Whether a write is in progress.
  package var isWriting: Bool {
    keeper.isWriting || features.all.contains(where: Self.isWriting)
  }

  /// The names of the features with a write in progress.
  package var writers: [String] {
    features.all.filter(Self.isWriting).map { "\(type(of: $0))" }
  }

  private static func isWriting(_ feature: any Feature) -> Bool {
    feature.isWriting || feature.workers.contains { $0.isAwaited && $0.count > 0 }
  }

  /// Ends requests to other machines, until a session begins: nothing waits for a server that does not
  /// answer.
  package func endRequests() {
    for feature in features.all { feature.endRequests() }
  }

  /// A feature of the node.
  package subscript<Feature>(feature: Feature.Type) -> Feature { features[feature] }

  // MARK: - Clients

  /// Registers the outlet of a server, and returns its number for use in `Client`.
  @discardableResult
  package func connect(to outlet: any Outlet) -> Int { dispatcher.replySender.open(outlet) }

  /// The number of subscribers.
  package var clientCount: Int { dispatcher.replySender.notifier.subscriptions.count }

  /// Subscribes a client to all changes, without expiry.
  package func subscribePermanently(_ client: Client) throws(Refusal) {
    dispatcher.replySender.beginPacket(now: context.now())
    try context[ClientsFeature.self].subscribe(client, to: nil, port: nil, isPermanent: true)
  }

  /// Whether a client has subscriptions.
  package func isSubscribed(_ client: Client) -> Bool {
    dispatcher.replySender.notifier.isSubscribed(client)
  }

  /// Adds an address to a client's subscription.
  ///
  /// Returns false if there are too many clients.
  package func listen(_ client: Client, to index: Int) -> Bool {
    let notifier = dispatcher.replySender.notifier
    return (try? notifier.subscriptions.add(index, for: client, now: context.now())) != nil
  }

  /// Removes an address from a client's subscription.
  package func ignore(_ client: Client, _ index: Int) {
    dispatcher.replySender.notifier.subscriptions.remove(index, for: client)
  }

  /// Renews the leases of a client that sends no packets.
  package func renewLease(of client: Client) { dispatcher.renewLeases(of: client) }

  /// Removes a client that can no longer be reached.
  package func forget(_ client: Client) { context[ClientsFeature.self].forget(client) }

  // MARK: - Input

  /// Handles a packet from a client.
  package func receive(_ packet: UnsafeRawBufferPointer, from client: Client) {
    dispatcher.receive(packet, from: client)
  }

  /// Handles an internally generated message, like one from a client.
  ///
  /// Takes effect immediately, or at a time in microseconds of the engine's clock.
  package func perform(
    _ path: String, _ arguments: [Argument], at due: Double? = nil
  ) throws(Refusal) {
    try dispatcher.perform(path, arguments, at: due)
  }

  /// Sets an address from text like `/live/gain=-6`.
  ///
  /// Takes effect immediately, or at a time in microseconds of the engine's clock.
  package func set(_ assignment: String, at due: Double? = nil) throws(Refusal) {
    try dispatcher.set(assignment, at: due)
  }

  // MARK: - Output

  /// Handles events from the audio thread.
  package func takeEvents() { dispatcher.sender.takeEvents() }

  /// Runs one turn of the control loop: events, scheduled commands, background work, features, persistence
  /// and updates.
  ///
  /// Returns the maximum delay until the next call, in milliseconds.
  package func tick() -> Int {
    let replySender = dispatcher.replySender
    // Completions have a reply budget of their own.
    let now = context.now()
    replySender.beginPacket(now: now)
    dispatcher.sender.poll()
    var due = Int.max
    for feature in features.all {
      for worker in feature.workers {
        // Each completion may reply with a full list.
        worker.deliver { replySender.beginPacket(now: now) }
        if worker.count > 0 { due = min(due, Self.busyMilliseconds) }
      }
    }
    for feature in features.all { due = min(due, feature.poll(now) ?? .max) }
    due = min(due, keeper.poll(now) ?? .max)
    due = min(due, replySender.notifier.poll(now))
    // After the features, which send commands, too.
    due = min(due, dispatcher.sender.delay ?? .max)
    return dispatcher.sender.isBusy ? min(due, 1) : due
  }

  // The poll interval while background work is in progress, in milliseconds.
  private static let busyMilliseconds = 2

  /// Fades out, and calls back when the output is silent.
  package func leave(_ whenSilent: @escaping () -> Void) {
    try? context.submit([PlannedCommand(action: .leave, whenDone: whenSilent)])
  }

  /// Returns the current values of an address; nil if it has none.
  package func values(of address: Address) -> [Argument]? { dispatcher.present(address) }

  /// Returns the current count of each part in braces of an address; empty if there are none.
  package func extents(of address: Address) -> [Int] { address.extents?(features) ?? [] }

  /// Returns the value of an address with a parameter.
  package func argument(for address: Address) -> Argument? {
    address.parameter.map { address.argument(for: context[$0]) }
  }
}
