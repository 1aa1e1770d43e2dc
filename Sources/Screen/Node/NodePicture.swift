package import OSC

/// The state of a node, collected from its messages.
package struct NodePicture: Sendable {
  /// A take in the node's list.
  struct Take: Equatable, Sendable {
    var id: String
    var title: String
    var species: String
    var date: String
    var seconds: Double?
  }

  /// A binding in the node's list.
  struct Binding: Equatable, Sendable {
    var address: String
    var trigger: String
    var press: String
    var argument: String
  }

  /// The arguments of `/status`, in order.
  private static let statusParts = [
    "rate", "block", "load", "xruns", "uptime", "clients", "server", "xrun", "messages", "errors",
    "malformed", "refused", "late", "denied", "dropped", "nan", "captureFaults", "voices",
    "flooded", "saving", "card",
  ]
  /// The pattern to subscribe to.
  package static let pattern =
    "/{meter,status,in,live,loop,grid,music,loops,out,mute,pitch,stretch,echo,reverb,chain,preset,"
    + "player,metronome,capture,take,takes,instrument,error,midi,lost,warning}"
  /// The most takes shown.
  package static let mostTakes = 50

  // More than a node can send is not from a node.
  private static let mostValues = 4000
  private static let mostMessages = 50
  private static let mostLoads = 400
  private static let mostCells = 64
  private static let mostBindings = 512

  /// The node's name; nil if unknown.
  package private(set) var name: String?
  /// The node's version; nil if unknown.
  package private(set) var version: String?
  /// The engine's number, which changes with each start of the node.
  package private(set) var engine: Int32?
  /// Whether the list of takes is out of date.
  package private(set) var areTakesOld = true
  /// The announced errors, losses of sound and warnings, newest last.
  private(set) var messages: [String] = []
  private(set) var meters = Array(repeating: Meter(), count: 10)
  private(set) var limiter = Meter()
  /// The load in percent, newest last.
  private(set) var loads: [Double] = []
  private(set) var takes: [Take] = []
  private(set) var gridRows = 0
  private(set) var gridColumns = 0
  /// The names of the grid's cells by row and column, from 1.
  private(set) var cells: [[Int]: String] = [:]
  private(set) var lit: [[Int]: Double] = [:]
  /// The bindings of the last complete list.
  private(set) var bindings: [Binding] = []
  // The texts of the present warnings by kind.
  private var warnings: [String: String] = [:]
  // The replies to /midi/bindings so far.
  private var bindingList: [Binding] = []
  private var values: [String: [Argument]] = [:]
  // The replies to /takes so far.
  private var list: [Take]?

  /// Creates an empty picture.
  package init() {}

  /// Whether levels (`/meter`) have arrived.
  package var hasLevels: Bool { meters[0].level != nil }

  /// The last number at an address; nil if none.
  func number(_ path: String, _ index: Int = 0) -> Double? {
    values[path]?.number(at: index)
  }

  /// The last word at an address; nil if none.
  func word(_ path: String, _ index: Int = 0) -> String? {
    values[path]?.text(at: index)
  }

  /// Whether the number at an address is known and not 0.
  func isOn(_ path: String) -> Bool { number(path).map { $0 != 0 } ?? false }

  // MARK: - In

  /// Begins a list of takes, after the query.
  package mutating func takesAreAsked() {
    areTakesOld = false
    list = []
  }

  /// Whether a list of takes is incomplete.
  package var isListingTakes: Bool { list != nil }

  /// Drops an incomplete list of takes, so that it is queried again.
  package mutating func takesAreLost() {
    list = nil
    areTakesOld = true
  }

  /// Advances meters and positions to a time of a steady clock in seconds.
  package mutating func advance(to seconds: Double) {
    for index in meters.indices { meters[index].advance(to: seconds) }
    limiter.advance(to: seconds)
  }

  /// Handles a message at a time of a steady clock in seconds.
  package mutating func take(_ path: String, _ arguments: [Argument], at seconds: Double) {
    switch path {
    case "/pong":
      guard arguments.count == 4, case .int32(let engine) = arguments[3] else { return }
      // The node has restarted: all values are old.
      if let known = self.engine, known != engine { self = NodePicture() }
      (name, version, self.engine) = (arguments[1].text, arguments[2].text, engine)
    case "/meter": takeLevels(arguments, at: seconds)
    case "/status":
      for (part, value) in zip(Self.statusParts, arguments) { keep("/status/\(part)", [value]) }
      guard let load = number("/status/load"), load.isFinite else { return }
      loads.append(min(max(load, 0), 100))
      if loads.count > Self.mostLoads { loads.removeFirst() }
    case "/grid/layout", "/grid/cell", "/grid/lit": takeGrid(path, arguments)
    case "/take": takeTake(arguments)
    case "/takes/end":
      if let list { takes = list }
      list = nil
    case "/takes/total":
      if values[path] != arguments, list == nil { areTakesOld = true }
      keep(path, arguments)
    case "/midi/binding": takeBinding(arguments)
    case "/midi/bindings/end":
      bindings = bindingList
      bindingList = []
    case "/error":
      let words = arguments.compactMap(\.text)
      note("\(words.first ?? ""): \(words.dropFirst(2).joined(separator: " "))")
    case "/lost":
      let length = arguments.number(at: 1).flatMap { Figure.decimal($0, places: 1) }
      note("\(length ?? Figure.unknown) ms lost: \(arguments.text(at: 3) ?? "")")
    case "/warning": takeWarning(arguments)
    default: keep(path, arguments)
    }
  }

  /// Shows a warning once; each subscription repeats it.
  private mutating func takeWarning(_ arguments: [Argument]) {
    guard let kind = arguments.text(at: 0), let text = arguments.text(at: 1) else { return }
    if !text.isEmpty, warnings[kind] != text { note(text) }
    guard warnings[kind] != nil || warnings.count < Self.mostMessages else { return }
    warnings[kind] = text.isEmpty ? nil : text
  }

  /// Adds an error message for the user.
  mutating func note(_ message: String) {
    messages.append(message)
    if messages.count > Self.mostMessages { messages.removeFirst() }
  }

  private mutating func keep(_ path: String, _ arguments: [Argument]) {
    guard values[path] != nil || values.count < Self.mostValues else { return }
    values[path] = arguments
  }

  private mutating func takeLevels(_ arguments: [Argument], at seconds: Double) {
    for (index, argument) in arguments.enumerated() {
      guard let level = argument.number.map({ Float($0) }) else { continue }
      if index < meters.count {
        meters[index].take(level, at: seconds)
      } else if index == meters.count {
        limiter.take(level, at: seconds)
      }
    }
  }

  private mutating func takeGrid(_ path: String, _ arguments: [Argument]) {
    guard let row = arguments.number(at: 0).flatMap({ Int(exactly: $0) }),
      let column = arguments.number(at: 1).flatMap({ Int(exactly: $0) }),
      (0...Self.mostCells).contains(row), (0...Self.mostCells).contains(column)
    else { return }
    let place = [row, column]
    switch path {
    case "/grid/layout":
      // Its cells and the lit ones follow.
      (gridRows, gridColumns) = (row, column)
      (cells, lit) = ([:], [:])
    case "/grid/cell": cells[place] = arguments.text(at: 2) ?? ""
    default:
      let level = arguments.number(at: 2) ?? 0
      lit[place] = level > 0 ? level : nil
    }
  }

  private mutating func takeBinding(_ arguments: [Argument]) {
    guard let address = arguments.text(at: 0), let number = arguments.number(at: 1),
      bindingList.count < Self.mostBindings
    else { return }
    // An older node has controllers only.
    bindingList.append(
      Binding(
        address: address,
        trigger: arguments.text(at: 5) ?? "controller:\(Figure.fixed(number, width: 1))",
        press: arguments.text(at: 3) ?? "turn", argument: arguments.text(at: 4) ?? ""))
  }

  /// The number at an address, or 0.
  package func whole(_ path: String) -> Int { number(path).flatMap { Int(exactly: $0) } ?? 0 }

  private mutating func takeTake(_ arguments: [Argument]) {
    guard arguments.count >= 5, let id = arguments[0].text else { return }
    let take = Take(
      id: id, title: arguments[1].text ?? "", species: arguments[2].text ?? "",
      date: arguments[3].text ?? "", seconds: arguments[4].number)
    guard list != nil else {
      // A new or renamed take.
      areTakesOld = true
      return
    }
    list?.removeAll { $0.id == id }
    if list!.count < Self.mostTakes { list?.append(take) }
  }
}

extension [Argument] {
  fileprivate func number(at index: Int) -> Double? { dropFirst(index).first?.number }
  fileprivate func text(at index: Int) -> String? { dropFirst(index).first?.text }
}
