internal import Engine
internal import Library
internal import Posix

/// The captures of the node: the one that is on, and those that are still being ended.
final class CaptureRuns {
  /// The place and the preset with which a take begins.
  struct Surroundings {
    var place: Place?
    var preset = ""
  }

  // Each holds seconds of sound in memory.
  private static let most = 4

  /// A capture that has begun.
  struct Entry {
    let run: CaptureRun
    /// The requests that began and ended it, whose senders are told of its end.
    var starter: Request?
    var ender: Request?
    var isFaultTold = false
    /// Whether the audio thread was told to end it because of a fault.
    var isStopped = false
    /// Whether another follows it, at another rate.
    var isFollowed = false
  }

  /// The figures that are told of a capture.
  struct Account {
    var isOn = false
    var seconds = 0.0
    var id = ""

    fileprivate init() {}

    fileprivate init(_ run: CaptureRun, isOn: Bool) {
      self.isOn = isOn
      seconds = Double(run.ring.frames) / Double(run.ring.rate)
      id = run.id
    }
  }

  private struct Known {
    weak var ring: CaptureRing?
  }

  private var known: [Known] = []
  var entries: [Entry] = []
  /// The last one that began, until it has ended; its ring is a few megabytes.
  private var latest: CaptureRun?
  /// The account of the last one that has ended.
  private var past = Account()
  /// Whether one is on, or is about to be by what was asked for.
  var isOn = false
  /// How many commands to be followed at once are under way.
  var underWay = 0
  /// Whether something is on its way to the disk.
  var isBusy: Bool { !entries.isEmpty }

  /// The one that runs.
  var running: CaptureRun? { latest.flatMap { $0.ring.state == .running ? $0 : nil } }

  /// The account of the one that runs, or ran last.
  var account: Account {
    guard let latest, latest.ring.frames > 0 || !latest.ring.hasEnded else { return past }
    return Account(latest, isOn: running != nil)
  }

  /// Lets go of those of which all is told.
  func forget(_ done: [Entry]) {
    entries.removeAll { entry in done.contains { $0.run === entry.run } }
    if let latest, done.contains(where: { $0.run === latest }) {
      past = latest.ring.frames > 0 ? Account(latest, isOn: false) : Account()
      self.latest = nil
    }
  }

  /// The memory and the means that a capture needs before its first frame.
  struct Preparation {
    let ring: CaptureRing
    fileprivate let home: String
    fileprivate let wake: Signal
  }

  /// Prepares a capture into a home folder.
  func prepare(rate: Int, home: String?) throws(Refusal) -> Preparation {
    guard let home else {
      throw Refusal(.state, "there is no home folder to keep it in; `syrinx run` has one")
    }
    known.removeAll { $0.ring == nil }
    guard known.count < Self.most else {
      throw Refusal(
        .busy, "\(known.count) captures are planned or being ended already; send it again later")
    }
    do throws(SystemError) {
      let preparation = Preparation(ring: CaptureRing(rate: rate), home: home, wake: try Signal())
      known.append(Known(ring: preparation.ring))
      return preparation
    } catch {
      throw Refusal(.io, "can't begin to capture: \(error)")
    }
  }

  /// Sends a capture to the disk, if it has begun: not where one was on.
  func begin(
    _ preparation: Preparation, _ surroundings: Surroundings, engine: Engine, for request: Request?
  ) {
    let ring = preparation.ring
    guard ring.state != .waiting else { return }
    var take = Take(rate: ring.rate, source: ring.source == .input ? .input : .output)
    take.place = surroundings.place
    take.preset = surroundings.preset
    let run = CaptureRun(
      ring, take, home: preparation.home, engine: engine, wake: preparation.wake)
    entries.append(Entry(run: run, starter: request))
    latest = run
    run.start()
  }

  /// Notes that whatever was on was ended, by a request.
  func end(for request: Request?) {
    for index in entries.indices where entries[index].run.ring.hasEnded {
      if entries[index].ender == nil { entries[index].ender = request }
      entries[index].run.noteEnd()
    }
  }
}
