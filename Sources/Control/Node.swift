package import Engine
package import Feed
package import InstrumentFiles
package import Library
package import OSC
internal import Posix

/// The control side of the node: it takes packets in, tells the engine, and answers.
///
/// One thread owns it. What it can do is in its features.
package final class Node {
  /// All addresses that it understands and sends.
  package let table: AddressTable
  let context: Context
  let features = Features()
  let keeper: Keeper
  /// The board in the home folder, for doors by which others come to it.
  package let ownBoard: HomeBoard
  // Where it is, for other threads.
  private let homePlace: Guarded<String?>
  private let dispatcher: Dispatcher

  /// A node that plays on an engine, with a folder of its own and others that songs can come from.
  package init(
    name: String, engine: Engine, soundServer: any SoundServer, table: AddressTable = .node,
    presets: PresetLibrary = PresetLibrary(), home: String? = nil, musicFolders: [String] = [],
    instruments: InstrumentLibrary = InstrumentLibrary(),
    now: @escaping () -> Double = { HostTime.steady }
  ) {
    self.table = table
    keeper = Keeper(features: features, now: now)
    dispatcher = Dispatcher(table, engine, features: features, keeper: keeper, now: now)
    keeper.dispatcher = dispatcher
    dispatcher.courier.observer = keeper
    let place = Guarded(home)
    homePlace = place
    ownBoard = HomeBoard { place.withLock { $0 } }
    let setup = Setup(
      home: home, presets: presets, musicFolders: musicFolders, instruments: instruments,
      ownBoard: ownBoard)
    context = Context(
      name: name, setup: setup, engine: engine, soundServer: soundServer, dispatcher: dispatcher,
      keeper: keeper, features: features, now: now)
    features.make(context)
    keeper.begin()
  }

  /// The name in the JACK graph and on the network.
  package var name: String {
    get { context.name }
    set { context.name = newValue }
  }

  func setHomeOfBoard(_ home: String) { homePlace.withLock { $0 = home } }

  /// A number that is new at each start.
  package var engineID: Int32 { context[Presence.self].engineID }

  /// Whether it was told to quit.
  package var isQuitting: Bool { context[Presence.self].isQuitting }

  /// The counts so far, for `/status`.
  package var counters: Counters {
    get { dispatcher.answerer.counters }
    set { dispatcher.answerer.counters = newValue }
  }

  /// Whether something is on its way to a disk.
  package var isWriting: Bool {
    keeper.isWriting
      || features.all.contains {
        $0.isWriting || $0.workers.contains { $0.isAwaited && $0.count > 0 }
      }
  }

  /// Seconds since the start.
  package var uptime: Double { context[Status.self].uptime }

  // MARK: - Clients

  /// Connects a way out, and returns the number of its door, by which its clients name it.
  @discardableResult
  package func connect(to outlet: any Outlet) -> Int { dispatcher.answerer.open(outlet) }

  /// How many subscribe at the moment.
  package var clientCount: Int { dispatcher.answerer.feedback.subscriptions.count }

  /// Tells a place of every change, for as long as the node runs.
  package func subscribePermanently(_ client: Client) throws(Refusal) {
    dispatcher.answerer.beginPacket()
    try context[Presence.self].subscribe(client, to: nil, port: nil, isPermanent: true)
  }

  /// Whether a client is told of changes.
  package func isSubscribed(_ client: Client) -> Bool {
    dispatcher.answerer.feedback.isSubscribed(client)
  }

  /// Tells a client an address of the table from now on, beside what it is told already; false where
  /// there are too many clients.
  package func listen(_ client: Client, to index: Int) -> Bool {
    let feedback = dispatcher.answerer.feedback
    return (try? feedback.subscriptions.add(index, for: client, now: context.now())) != nil
  }

  /// Tells a client an address no longer.
  package func ignore(_ client: Client, _ index: Int) {
    dispatcher.answerer.feedback.subscriptions.remove(index, for: client)
  }

  /// Notes that a client is there, though it sends no packet.
  package func heard(_ client: Client) {
    dispatcher.answerer.feedback.subscriptions.renew(client, now: context.now())
  }

  /// Forgets a client that can't be reached any more.
  package func forget(_ client: Client) { context[Presence.self].forget(client) }

  // MARK: - In

  /// Takes one packet from a client.
  package func receive(_ packet: UnsafeRawBufferPointer, from client: Client) {
    dispatcher.receive(packet, from: client)
  }

  /// Follows one instruction from inside the program, by the same door as all others.
  ///
  /// It takes effect at once, or at a time in microseconds of the engine's clock.
  package func perform(
    _ path: String, _ arguments: [Argument], at due: Double? = nil
  ) throws(Refusal) {
    try dispatcher.perform(path, arguments, at: due)
  }

  /// Sets one address from text like `/live/gain=-6`, by the same door as any message.
  ///
  /// It takes effect at once, or at a time in microseconds of the engine's clock.
  package func set(_ assignment: String, at due: Double? = nil) throws(Refusal) {
    try dispatcher.set(assignment, at: due)
  }

  // MARK: - Out

  /// Takes what the audio thread has to say.
  package func takeEvents() { dispatcher.courier.takeEvents() }

  /// Runs one turn: events, what waits for its time, what disks have done, features, what is
  /// kept, and feedback.
  ///
  /// Returns in how many milliseconds it wants to be called again at the latest.
  package func tick() -> Int {
    let answerer = dispatcher.answerer
    // What ends now is answered, whatever the last packet has asked for.
    answerer.beginPacket()
    var due = dispatcher.courier.poll() ?? .max
    let now = context.now()
    for feature in features.all {
      for worker in feature.workers {
        // Each list may be as long as a packet's answers.
        worker.deliver { answerer.beginPacket() }
        if worker.count > 0 { due = min(due, Self.busyMilliseconds) }
      }
    }
    for feature in features.all { due = min(due, feature.poll(now) ?? .max) }
    due = min(due, keeper.poll(now) ?? .max)
    due = min(due, answerer.feedback.poll(now))
    return dispatcher.courier.isBusy ? min(due, 1) : due
  }

  // How often to look while a disk works, in milliseconds.
  private static let busyMilliseconds = 2

  /// Fades out, and calls back when all is silent.
  package func leave(_ whenSilent: @escaping () -> Void) {
    try? context.submit([PlannedCommand(action: .leave, whenDone: whenSilent)])
  }

  /// The present values of an address; nil where it has none.
  package func values(of address: Address) -> [Argument]? { dispatcher.present(address) }

  /// How many there are at present of each part in braces of an address's path; none where there are
  /// no braces.
  package func extents(of address: Address) -> [Int] { address.extents?(features) ?? [] }

  /// The value of an address that sets a parameter, as an argument.
  package func argument(for address: Address) -> Argument? {
    address.parameter.map { address.argument(for: context[$0]) }
  }
}
