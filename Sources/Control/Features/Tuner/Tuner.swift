internal import DSP
internal import Engine
internal import Music
internal import OSC

/// The tuner: the note of the live input, while a client subscribes or queries.
final class Tuner: Feature {
  // Twelve times per second.
  private static let period = 1e6 / 12
  // The time that a query keeps it running, in microseconds.
  private static let queryTime = 3e6
  // The note of the reference frequency.
  private static let referenceNote = 69.0

  private let context: Context
  private let worker = Worker("tuner")
  private var detector: PitchDetector?
  private var latest = PitchDetector.Detection()
  private var nextTime = 0.0
  private var askedUntil = -Double.infinity
  /// Whether LEDs of a pedal show it.
  var isLit = false

  init(_ context: Context) { self.context = context }

  var workers: [Worker] { [worker] }

  /// Runs the detection at its rate, and announces the result.
  func poll(_ now: Double) -> Int? {
    let isWanted = now < askedUntil || isLit || context.isWanted(Self.path)
    if let detector, !isWanted || isStale(detector) { stop(detector) }
    guard isWanted else { return nil }
    if detector == nil { start(now) }
    if let detector, now >= nextTime, worker.count == 0 {
      // A multiple of the period, so that late polls don't accumulate.
      nextTime = max(nextTime + Self.period, now)
      worker.run({ detector.detect() }, then: { [weak self] in self?.update($0, of: detector) })
    }
    return max(1, Int(((nextTime - now) / 1000).rounded(.up)))
  }

  /// Whether the detector receives no more input: the sample rate changed, or it was too slow.
  private func isStale(_ detector: PitchDetector) -> Bool {
    detector.ring.rate != context.sampleRate || detector.ring.hasEnded
  }

  // MARK: - Audio thread

  private func start(_ now: Double) {
    let detector = PitchDetector(rate: context.sampleRate)
    let command = PlannedCommand(action: .captureForTuner(detector.ring.pointer))
    // Retried if the command queue is full.
    guard (try? context.submit([command], path: Self.path)) != nil else { return }
    self.detector = detector
    // The ring holds enough input by then.
    nextTime = now + Self.period
  }

  private func stop(_ detector: PitchDetector) {
    // When done, the audio thread has released the ring.
    let command = PlannedCommand(action: .captureForTuner(nil), whenDone: { _ = detector })
    guard (try? context.submit([command], path: Self.path)) != nil else { return }
    self.detector = nil
    latest = PitchDetector.Detection()
  }

  // MARK: - Detection

  private func update(
    _ outcome: Result<PitchDetector.Detection, Refusal>, of detector: PitchDetector
  ) {
    // If no thread could be started, other parts report it.
    guard case .success(let detection) = outcome, detector === self.detector else { return }
    latest = detection
    context.announce(Self.path, reading)
  }

  private var reading: [Argument] {
    let level = Argument.float(Level.decibels(latest.peak))
    guard let note else { return [.int32(-1), .float(0), level] }
    return [.int32(Int32(note.key)), .float(Float(note.cents)), level]
  }

  /// The note of the steady tone, as its MIDI key, and the deviation from it in cents; nil without one.
  private var note: (key: Int, cents: Double)? {
    guard let frequency = latest.frequency else { return nil }
    let reference = context[Fingerboard.self].gridState.grid.tuning.referenceHz
    let place = Self.referenceNote + Cents.of(frequency / reference) / 100
    let key = place.rounded()
    return 0...127 ~= key ? (Int(key), (place - key) * 100) : nil
  }

  /// Starts the tuner, or keeps it running, and returns its note.
  func asked() -> (key: Int, cents: Double)? {
    askedUntil = context.now() + Self.queryTime
    return note
  }

  /// The deviation from the note, in cents; nil without a steady tone.
  var cents: Double? { note?.cents }

  private func answer() -> [Argument] {
    _ = asked()
    return reading
  }
}

extension Tuner {
  static let path = "/tuner"

  static let addresses: [Address] = [
    Address(
      path,
      // Announced at its own rate, rather than on change.
      Declaring<Tuner>.reading("iff", isAnnounced: false) { $0.answer() },
      "Note of the live input (-1 without a steady tone), deviation in cents from "
        + "/grid/reference, and peak in dB; sent to subscribers 12 times per second; a query runs it for "
        + "3 s")
  ]
}
