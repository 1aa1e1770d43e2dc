internal import Engine
internal import Feed
internal import InstrumentFiles
internal import Library
internal import OSC

/// The folders and libraries that a node lives in.
struct Setup {
  var home: String?
  var presets = PresetLibrary()
  var musicFolders: [String] = []
  var instruments = InstrumentLibrary()
  /// The board in the home folder.
  let ownBoard: HomeBoard
}

/// All that a feature sees of its node.
final class Context {
  /// The name in the JACK graph and on the network.
  var name: String
  let setup: Setup
  let engine: Engine
  let soundServer: any SoundServer
  let table: AddressTable
  let answerer: Answerer
  /// The steady time, in microseconds.
  let now: () -> Double
  private let courier: Courier
  private unowned let dispatcher: Dispatcher
  private unowned let keeper: Keeper
  private unowned let features: Features

  init(
    name: String, setup: Setup, engine: Engine, soundServer: any SoundServer,
    dispatcher: Dispatcher, keeper: Keeper, features: Features, now: @escaping () -> Double
  ) {
    self.name = name
    self.setup = setup
    self.engine = engine
    self.soundServer = soundServer
    self.dispatcher = dispatcher
    table = dispatcher.table
    answerer = dispatcher.answerer
    courier = dispatcher.courier
    self.keeper = keeper
    self.features = features
    self.now = now
  }

  /// Another feature of the same node.
  subscript<Wanted: Feature>(wanted: Wanted.Type) -> Wanted { features[wanted] }

  /// All features of the node.
  var allFeatures: [any Feature] { features.all }

  /// Has somebody told of each packet's sender.
  func whenHeard(_ listener: @escaping (Client) -> Void) { dispatcher.whenHeard(listener) }

  // MARK: - To the audio

  /// The value of a parameter, as far as the control side knows it.
  subscript(parameter: Parameter) -> Float { courier.values[parameter] }

  /// Hands commands over: all of them, or none and the reason.
  func submit(_ commands: [PlannedCommand], for request: Request) throws(Refusal) {
    try courier.submit(commands, from: request.origin)
  }

  /// Hands commands over that nobody asked for.
  func submit(_ commands: [PlannedCommand], path: String = "") throws(Refusal) {
    try courier.submit(commands, from: Origin(path: path, client: nil))
  }

  /// Follows an instruction of the node's own, by the same door as all others, at once or at a time
  /// in microseconds of the engine's clock.
  func perform(
    _ path: String, _ arguments: [Argument], at due: Double? = nil
  ) throws(Refusal) {
    try dispatcher.perform(path, arguments, at: due)
  }

  /// The commands that an instruction of the node's own would come to now; nil where it comes to
  /// more than commands, or is refused.
  func planned(_ path: String, _ arguments: [Argument]) -> [PlannedCommand]? {
    dispatcher.planned(path, arguments)
  }

  /// Takes what pedals have told since the last time.
  func takePresses() -> [PressNews] { courier.takePresses() }

  /// The refusal of an address that is none.
  func unknown(_ path: String) -> Refusal { dispatcher.unknown(path) }

  // MARK: - To clients

  /// Notes that the values of an address are others than before.
  func changed(_ paths: String...) { for path in paths { answerer.feedback.changed(path) } }

  /// Whether a client is told of changes.
  func isSubscribed(_ client: Client) -> Bool { answerer.feedback.isSubscribed(client) }

  /// Whether anybody wants an address.
  func isWanted(_ path: String) -> Bool { answerer.feedback.isWanted(path) }

  /// Tells all who want an event of it.
  func announce(_ event: Event, _ values: [Argument]) { answerer.announce(event, values) }

  /// Tells all who want an address something that happens once.
  func announce(_ path: String, _ values: [Argument]) { answerer.announce(path, values) }

  /// Tells of what went wrong by itself: a client, and all who subscribe to errors or to the address.
  func report(_ refusal: Refusal, of path: String, to client: Client? = nil) {
    answerer.report(refusal, of: path, to: client)
  }

  // MARK: - What is kept

  /// Keeps the present value of an address that is set along with another one.
  func keep(_ path: String, for request: Request? = nil) {
    keeper.keep(path, for: request)
  }

  /// Notes that what was kept of an address holds no more.
  func overtakes(_ path: String) { keeper.overtakes(path) }

  /// Notes that something of the node's state may be other than before.
  func stateChanged() { keeper.stateChanged() }

  /// Keeps what the home folder keeps in a store from now on; nil where there is no such folder.
  func keepSettings(in store: (any SettingsStore)?) { keeper.store = store }

  /// Whether what was kept is still on its way.
  var isOpening: Bool {
    get { keeper.isOpening }
    set { keeper.isOpening = newValue }
  }

  /// Takes over what the home folder kept, unless a session has its own; returns a line for each
  /// value that can't be followed.
  func restore(_ kept: [String: String]) -> [String] {
    keeper.keepsSettings ? keeper.restore(kept) : []
  }
}
