internal import Engine
internal import Library
internal import Posix

/// All captures: the running one, and those that are being finished.
final class CaptureRuns {
  // Each holds seconds of audio in memory.
  private static let most = 4

  /// A capture that was started.
  struct Entry {
    let run: CaptureRun
    /// The requests that started and ended it, whose senders receive the result.
    var starter: Request?
    var ender: Request?
    var isFaultReported = false
    /// Whether it was reported that the disk is full, since it last had room.
    var isDelayReported = false
    /// Whether the audio thread was told to end it because of an error.
    var isStopped = false
    /// Whether another capture continues it at another sample rate.
    var isFollowed = false
  }

  /// The state of a capture for `/capture/state`.
  struct Account {
    var isOn = false
    var seconds = 0.0
    var id = ""
    var place: Place?
  }

  // Weak references to all rings.
  private var known: [() -> CaptureRing?] = []
  var entries: [Entry] = []
  /// The last capture started, until it has ended.
  ///
  /// Its ring takes a few megabytes.
  private var latest: CaptureRun?
  /// The state of the last capture that ended.
  private var past = Account()
  /// Whether a capture is running, including accepted commands.
  var isOn = false
  /// The number of pending immediate commands.
  var underWay = 0
  /// The location of the capture that is about to start.
  private var placeOfNext: Place?
  /// Whether a write is in progress.
  var isBusy: Bool { !entries.isEmpty }

  /// The running capture.
  var running: CaptureRun? { latest.flatMap { $0.ring.state == .running ? $0 : nil } }

  /// The state of the running capture, or else the last one.
  var account: Account {
    guard let latest, latest.ring.frames > 0 || !latest.ring.hasEnded else { return past }
    return account(of: latest, isOn: running != nil)
  }

  private func account(of run: CaptureRun, isOn: Bool) -> Account {
    Account(
      isOn: isOn, seconds: Double(run.ring.frames) / Double(run.ring.rate), id: run.id,
      place: run.place.withLock { $0 })
  }

  /// Sets the location of the running capture, or else of the last one.
  ///
  /// Returns the ID of its take if it is already in the library; the caller must then update it there, too.
  func setPlace(_ place: Place) throws(Refusal) -> String? {
    if isOn, underWay > 0 {
      placeOfNext = place
      return nil
    }
    let account = account
    guard !account.id.isEmpty else { throw Refusal(.state, "there was no capture yet") }
    if let entry = entries.first(where: { $0.run.id == account.id }) {
      entry.run.place.withLock { $0 = place }
      return nil
    }
    past.place = place
    return account.id
  }

  /// Applies a location that was set before the capture had started.
  func settlePlace() {
    guard underWay == 0, let place = placeOfNext else { return }
    placeOfNext = nil
    running?.place.withLock { $0 = place }
  }

  /// Removes captures whose results were reported.
  func forget(_ done: [Entry]) {
    entries.removeAll { entry in done.contains { $0.run === entry.run } }
    if let latest, done.contains(where: { $0.run === latest }) {
      past = latest.ring.frames > 0 ? account(of: latest, isOn: false) : Account()
      self.latest = nil
    }
  }

  /// The resources that a capture needs before its first frame.
  struct Preparation {
    let ring: CaptureRing
    fileprivate let home: String
    fileprivate let wake: Signal
  }

  /// Prepares a capture into a data directory.
  func prepare(rate: Int, home: String?) throws(Refusal) -> Preparation {
    guard let home else {
      throw Refusal(.state, "captures need a data directory")
    }
    known.removeAll { $0() == nil }
    guard known.count < Self.most else {
      throw Refusal(
        .busy, "\(known.count) captures are already planned or being finished; try again later")
    }
    let wake = try refusing("can't start the capture: ") { () throws(SystemError) in try Signal() }
    let preparation = Preparation(ring: CaptureRing(rate: rate), home: home, wake: wake)
    known.append { [weak ring = preparation.ring] in ring }
    return preparation
  }

  /// Starts writing a capture if the engine started it, which it does not while another one is running.
  func start(
    _ preparation: Preparation, at place: Place?, preset: String, engine: Engine,
    for request: Request?
  ) {
    let ring = preparation.ring
    guard ring.state != .waiting else { return }
    var take = Take(rate: ring.rate, source: ring.source == .input ? .input : .output)
    (take.place, take.preset) = (place, preset)
    let run = CaptureRun(ring, take, home: preparation.home, engine: engine, wake: preparation.wake)
    entries.append(Entry(run: run, starter: request))
    latest = run
    run.start()
  }

  /// Notes that a request ended the running capture.
  func noteEnd(for request: Request?) {
    for index in entries.indices where entries[index].run.ring.hasEnded {
      if entries[index].ender == nil { entries[index].ender = request }
      entries[index].run.noteEnd()
    }
  }
}
