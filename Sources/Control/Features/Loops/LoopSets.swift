internal import Engine
internal import JSON
internal import Library
internal import OSC
internal import Posix

/// A saved set of loops: a take for each loop with a clip, and the values of all loops.
struct LoopSet: Sendable {
  /// A loop of a set.
  struct Loop: Sendable {
    /// The number, from 1.
    var number: Int
    /// The identifier of its take; empty without a clip.
    var take: String
    /// The values, by the last part of their addresses.
    var values: [(name: String, value: Argument)]
  }

  /// The tempo in beats per minute, and the beats per bar.
  var tempo: Double
  var beatsPerBar: Int
  var loops: [Loop]

  /// The set as JSON.
  var text: String {
    let loops = loops.map { loop -> JSONText in
      let values = loop.values.map { name, value -> (String, any JSONWritable) in
        if let text = value.text { (name, text) } else { (name, value.number) }
      }
      return ["loop": loop.number, "take": loop.take, "values": JSONText(values)]
    }
    let json: JSONText = ["tempo": tempo, "beatsPerBar": beatsPerBar, "loops": loops]
    return json.text + "\n"
  }
}

extension LoopSet {
  /// Parses the contents of a file.
  init(_ bytes: [UInt8], _ path: String) throws(Refusal) {
    do throws(JSON.Fault) {
      let json = try JSON(bytes)
      tempo = json["tempo"]?.number ?? 120
      beatsPerBar = json["beatsPerBar"]?.whole ?? 4
      loops = (json["loops"]?.list ?? []).compactMap { loop in
        guard let number = loop["loop"]?.whole, let take = loop["take"]?.text else { return nil }
        var values: [(String, Argument)] = []
        for value in LoopValue.all {
          guard let found = loop["values"]?[value.name] else { continue }
          if let text = found.text { values.append((value.name, .string(text))) }
          if let number = found.number { values.append((value.name, .double(number))) }
        }
        return Loop(number: number, take: take, values: values)
      }
    } catch {
      throw Refusal(.type, "\(path):\(error.line): not a loop set: \(error.description)")
    }
  }
}

/// The loop sets in the data directory: a file per set, and a library of their takes, apart from the user's own.
final class LoopSets {
  private static let largest = 1 << 20
  private static let ending = ".json"

  private let worker = Worker("sets of loops")
  private let context: Context
  /// The name of the set loaded last; empty for none.
  private(set) var loaded = ""
  // The set whose loops were exchanged last.
  private weak var exchanged: ReadyLoopSet?
  /// The number of loops that are being exchanged.
  var exchanging = 0
  /// Called when all loops are exchanged.
  var whenExchanged: (() -> Void)?
  /// Called when a set is saved or deleted, with its name.
  var whenChanged: ((String) -> Void)?
  // The takes of all sets; nil until it is needed.
  private var shelf: TakeWorkers?

  init(_ context: Context) { self.context = context }

  var workers: [Worker] { [worker] + (shelf.map { [$0.lists, $0.files] } ?? []) }

  /// Purges expired takes of deleted sets, once per day.
  func tidy(_ now: Double) { shelf?.tidy(now) { _ in } }

  private func library() throws(Refusal) -> TakeWorkers {
    if let shelf { return shelf }
    let shelf = TakeWorkers(home: try folder())
    // After a crash, or files moved by hand.
    try shelf.list({ library throws(LibraryFault) in try library.adopt() }, then: { _ in })
    self.shelf = shelf
    return shelf
  }

  private func folder() throws(Refusal) -> String {
    guard let home = context.setup.home else {
      throw Refusal(.state, "loop sets need a data directory")
    }
    return home + "/sets"
  }

  /// Returns the name and the path of a set, or throws if the name can't be a file name.
  private func file(_ request: Request) throws(Refusal) -> (name: String, path: String) {
    let text = request.text(0) ?? ""
    let name = try refusing { () throws(PresetFault) in try PresetName(text, of: "loop set").text }
    return (name, try "\(folder())/\(name)\(Self.ending)")
  }

  private static func unknown(_ name: String) -> Refusal {
    Refusal(.missing, "unknown loop set \(quoted(name)); /loops lists all")
  }

  // MARK: - Saving

  /// Saves each loop with a clip as a take, then the set.
  fileprivate func save(_ request: Request) throws(Refusal) {
    let (name, path) = try file(request)
    let loops = context[Loops.self]
    var wanted: [Int] = []
    for index in 0..<loops.count {
      let reading = loops.status(of: index).reading
      guard !reading.state.isRecording else {
        throw Refusal(.state, "loop \(index + 1) is recording; /loop/\(index + 1)/stop ends it")
      }
      if reading.length > 0 { wanted.append(index) }
    }
    guard !wanted.isEmpty else { throw Refusal(.state, "all loops are empty") }
    try save(wanted[...], of: present, to: path, named: name, for: request)
  }

  /// Saves the clips one at a time, since each is held in memory, then the set.
  private func save(
    _ wanted: ArraySlice<Int>, of set: LoopSet, to path: String, named name: String,
    for request: Request
  ) throws(Refusal) {
    guard let index = wanted.first else {
      write(set, to: path, named: name, for: request)
      return
    }
    try context[Takes.self].save(
      loop: index, titled: "\(name) \(index + 1)", in: try library(), for: request.path
    ) { [weak self] outcome in
      request.complete(outcome) { take throws(Refusal) in
        guard let self else { return }
        var set = set
        set.loops[index].take = take.id
        try self.save(wanted.dropFirst(), of: set, to: path, named: name, for: request)
      }
    }
  }

  private func write(
    _ set: LoopSet, to path: String, named name: String, for request: Request
  ) {
    let text = set.text
    worker.run { () throws(Refusal) -> String? in
      try refusing("the loop set is not saved: ") { () throws(SystemError) -> String? in
        try Files.makeFolder(Files.folder(of: path))
        let former = try Self.keepFormer(of: name, at: path)
        try Files.write(text, to: path)
        return former
      }
    } then: { [weak self] outcome in
      self?.whenChanged?(name)
      request.complete(outcome) { former in request.done([name] + (former.map { [$0] } ?? [])) }
    }
  }

  /// Keeps the set that a new one of the same name replaces, under a name with the next number.
  ///
  /// Returns that name, such as `Evening~1`; nil if the new set replaces none.
  private static func keepFormer(
    of name: String, at path: String
  ) throws(SystemError) -> String? {
    guard Files.exist(path) else { return nil }
    var number = 1
    while true {
      let former = PlainName.adding("~\(number)", to: name)
      let place = "\(Files.folder(of: path))/\(former)\(ending)"
      if !Files.exist(place) {
        try Files.write(try Files.contents(of: path, atMost: largest), to: place)
        return former
      }
      number += 1
    }
  }

  /// The current values of all loops, without takes.
  private var present: LoopSet {
    let loops = (0..<context[Loops.self].count).map { index in
      LoopSet.Loop(
        number: index + 1, take: "",
        values: LoopValue.all.compactMap { value in
          let parameter = Parameter.loop(value.parameter, UInt8(index))
          return context.table.address(of: parameter).map {
            (value.name, $0.argument(for: context[parameter]))
          }
        })
    }
    return LoopSet(
      tempo: Double(context[.beat(.tempo)]), beatsPerBar: Int(context[.beat(.beatsPerBar)]),
      loops: loops)
  }

  // MARK: - Loading

  /// Loads a set with its values, and clears all other loops.
  fileprivate func load(_ request: Request) throws(Refusal) {
    let (name, path) = try file(request)
    worker.run { () throws(Refusal) in
      try Self.read(path, named: name)
    } then: { [weak self] outcome in
      request.complete(outcome) { set throws(Refusal) in
        try self?.apply(set, named: name, for: request)
      }
    }
  }

  /// Forgets which set was loaded last.
  func forgetLoaded() { loaded = "" }

  private static func read(_ path: String, named name: String) throws(Refusal) -> LoopSet {
    let bytes: [UInt8]
    do throws(SystemError) {
      bytes = try Files.contents(of: path, atMost: largest)
    } catch {
      throw error.isMissing ? unknown(name) : error.refusal
    }
    return try LoopSet(bytes, path)
  }

  private func apply(_ set: LoopSet, named name: String, for request: Request) throws(Refusal) {
    let loops = context[Loops.self]
    try checkRoom(for: set)
    for index in 0..<loops.count {
      // Clearing also ends what is in progress.
      if loops.status(of: index).reading.activity != .empty {
        try context.perform("/loop/\(index + 1)/clear", [])
      }
    }
    if !context[Tempo.self].isFollowing {
      try context[Tempo.self].set(beatsPerMinute: Float(set.tempo))
    }
    for loop in set.loops where 1...loops.count ~= loop.number {
      for (value, argument) in loop.values {
        try? context.perform("/loop/\(loop.number)/\(value)", [argument])
      }
    }
    load(set.loops.filter { !$0.take.isEmpty }[...], nil, named: name, for: request)
  }

  /// Throws if the node has too few loops for a set.
  private func checkRoom(for set: LoopSet) throws(Refusal) {
    let count = context.loopCount
    guard let far = set.loops.first(where: { $0.number > count && !$0.take.isEmpty }) else {
      return
    }
    throw Refusal(
      .range, "the set has a loop \(far.number), the node has \(count); --loops sets the number")
  }

  /// Loads the takes one at a time, since each is held in memory.
  ///
  /// Reports the first failure after all others are loaded.
  private func load(
    _ loops: ArraySlice<LoopSet.Loop>, _ fault: Refusal?, named name: String,
    for request: Request
  ) {
    guard let loop = loops.first else {
      loaded = name
      if let fault { request.refuse(fault) } else { request.done(name) }
      return
    }
    func goOn(_ outcome: Result<Take, Refusal>) {
      var fault = fault
      if case .failure(let refusal) = outcome {
        fault = fault ?? Refusal(refusal.code, "loop \(loop.number) of the set: \(refusal.message)")
      }
      load(loops.dropFirst(), fault, named: name, for: request)
    }
    let takes = context[Takes.self]
    let path = "/loop/\(loop.number)/load"
    completing(goOn) { () throws(Refusal) in
      try takes.load(loop.take, from: try library(), loop: loop.number - 1, for: path) { outcome in
        guard case .failure(let refusal) = outcome, refusal.code == .missing else {
          return goOn(outcome)
        }
        // Sets of earlier versions have their takes in the user's library.
        completing(goOn) { () throws(Refusal) in
          try takes.load(loop.take, loop: loop.number - 1, for: path, then: goOn)
        }
      }
    }
  }

  // MARK: - Exchanging

  /// Reads a set into memory, and calls back with it.
  func prepare(
    _ name: String, then ending: @escaping (Result<ReadyLoopSet, Refusal>) -> Void
  ) throws(Refusal) {
    try worker.checkRoom()
    let path = try "\(folder())/\(name)\(Self.ending)"
    worker.run { () throws(Refusal) in
      try Self.read(path, named: name)
    } then: { [weak self] outcome in
      guard let self else { return }
      completing(ending) { () throws(Refusal) in
        let ready = ReadyLoopSet(name, try outcome.get(), rate: context.sampleRate)
        read(ready.set.loops.filter { !$0.take.isEmpty }[...], into: ready, then: ending)
      }
    }
  }

  /// Reads the takes one after another.
  private func read(
    _ loops: ArraySlice<LoopSet.Loop>, into ready: ReadyLoopSet,
    then ending: @escaping (Result<ReadyLoopSet, Refusal>) -> Void
  ) {
    guard let loop = loops.first else { return ending(.success(ready)) }
    func goOn(_ outcome: Result<Takes.ClipInMemory, Refusal>) {
      switch outcome {
      case .success(let clip): ready.add(clip, of: loop.number - 1)
      case .failure(let refusal):
        ready.addFault(
          Refusal(refusal.code, "loop \(loop.number) of the set: \(refusal.message)"))
      }
      read(loops.dropFirst(), into: ready, then: ending)
    }
    let takes = context[Takes.self]
    completing(goOn) { () throws(Refusal) in
      try takes.read(loop.take, from: try library()) { outcome in
        guard case .failure(let refusal) = outcome, refusal.code == .missing else {
          return goOn(outcome)
        }
        // Sets of earlier versions have their takes in the user's library.
        completing(goOn) { () throws(Refusal) in
          try takes.read(loop.take, from: try takes.library(), then: goOn)
        }
      }
    }
  }

  /// The commands that replace all loops but some by those of a set on one frame, and play these of them, counted
  /// from 0.
  func exchange(
    _ ready: ReadyLoopSet, playing: [Int], except untouched: Set<Int>,
    refuse: @escaping (Refusal) -> Void
  ) throws(Refusal) -> [PlannedCommand] {
    let loops = context[Loops.self]
    try checkRoom(for: ready.set)
    var commands: [PlannedCommand] = []
    if !context[Tempo.self].isFollowing {
      commands.append(PlannedCommand(action: .set(.beat(.tempo), Float(ready.set.tempo))))
    }
    for loop in ready.set.loops
    where 1...loops.count ~= loop.number && !untouched.contains(loop.number - 1) {
      for (name, argument) in loop.values {
        guard let address = context.table["/loop/\(loop.number)/\(name)"],
          let parameter = address.parameter, let value = try? address.value(from: argument)
        else { continue }
        commands.append(PlannedCommand(action: .set(parameter, value)))
      }
    }
    for index in 0..<loops.count where !untouched.contains(index) {
      if let clip = ready.clips[index] {
        commands.append(
          exchange(clip, loop: index, plays: playing.contains(index), ready, refuse: refuse))
      } else if loops.status(of: index).reading.activity != .empty {
        commands.append(PlannedCommand(action: .loop(.clear, loop: UInt8(index))))
      }
    }
    commands.append(
      PlannedCommand(
        action: .sync(0),
        whenDone: { [weak self] in
          self?.exchanged = ready
          self?.loaded = untouched.isEmpty ? ready.name : ""
        }))
    return commands
  }

  private func exchange(
    _ clip: Takes.ClipInMemory, loop: Int, plays: Bool, _ ready: ReadyLoopSet,
    refuse: @escaping (Refusal) -> Void
  ) -> PlannedCommand {
    PlannedCommand(
      action: .exchange(ClipPointer(clip.transfer), loop: UInt8(loop), plays: plays)
    ) { [weak self] in
      // The memory is read until here.
      _ = ready
      self?.context[Takes.self].clips[loop, clip.transfer.clip] = clip.origin
      self?.endExchange()
    } whenRefused: { [weak self] refusal in
      guard let self else { return }
      guard case .transferring = refusal else {
        defer { endExchange() }
        return refuse(context[Loops.self].refusal(refusal, to: "/loops/load", of: loop))
      }
      // A clip is being loaded into the loop.
      context[Takes.self].clips.whenFree { [weak self] in
        // Another set may have taken its place.
        guard let self else { return }
        guard exchanged === ready else { return endExchange() }
        let again = exchange(clip, loop: loop, plays: plays, ready, refuse: refuse)
        do throws(Refusal) { try context.submit([again]) } catch {
          endExchange()
          refuse(error)
        }
      }
    }
  }

  /// Notes that one of the loops is exchanged, or was refused.
  private func endExchange() {
    exchanging -= 1
    if exchanging == 0 { whenExchanged?() }
  }

  // MARK: - Listing

  /// Replies with the name of each set, then their number.
  fileprivate func list(_ request: Request) throws(Refusal) {
    let folder = try folder()
    worker.run { () throws(Refusal) in
      Files.names(in: folder).filter { $0.hasSuffix(Self.ending) }
        .map { String($0.dropLast(Self.ending.count)) }.sorted()
    } then: { outcome in
      request.complete(outcome) { names in
        request.answer(names, Self.set, end: Self.endOfSets, row: \.arguments)
      }
    }
  }

  /// Deletes a set, and moves its takes to the trash of the sets.
  fileprivate func delete(_ request: Request) throws(Refusal) {
    let (name, path) = try file(request)
    worker.run { () throws(Refusal) in
      let set = try Self.read(path, named: name)
      try refusing("the loop set is not deleted: ") { () throws(SystemError) in
        try Files.delete(path)
      }
      return set
    } then: { [weak self] outcome in
      self?.whenChanged?(name)
      request.complete(outcome) { set throws(Refusal) in
        let takes = set.loops.map(\.take).filter { !$0.isEmpty }
        try self?.library().list { library throws(LibraryFault) in
          // Sets of earlier versions have their takes in the user's library, where they stay.
          for take in takes {
            do throws(LibraryFault) { try library.delete(take) } catch {
              if error.kind != .missing { throw error }
            }
          }
        } then: {
          request.complete($0, name)
        }
      }
    }
  }
}

extension LoopSets {
  typealias Declared = Declaring<Loops>

  static let set = Event("/loops/set", "s", "Reply to /loops: name of a loop set")
  static let endOfSets = Event(
    "/loops/end", "i", "End of the replies to /loops: number of loop sets")

  static let addresses: [Address] = [
    Address(
      "/loops", Declared.question(end: endOfSets) { $0.sets.list },
      "Lists the saved loop sets: replies /loops/set s:name for each, then /loops/end i:count"),
    Address(
      "/loops/save", Declared.task([.needed("name", .text)]) { $0.sets.save },
      "Saves all loops as a set with this name: clips, values and tempo; a set of that name is kept as "
        + "NAME~1, NAME~2 and so on, which is the third argument of the reply"),
    Address(
      "/loops/load", Declared.task([.needed("name", .text)]) { $0.sets.load },
      "Loads a loop set with its values and tempo; the loops are stopped at their start"
    ).losing(),
    Address(
      "/loops/delete", Declared.task([.needed("name", .text)]) { $0.sets.delete },
      "Deletes a loop set; its clips stay in the trash of loop sets for 30 days"
    ).losing(),
    Address(set), Address(endOfSets),
  ]
}
