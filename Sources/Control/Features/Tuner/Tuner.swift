internal import DSP
internal import Engine
internal import Music
internal import OSC

/// The tuner: the note of the live input, as long as somebody wants to know it.
final class Tuner: Feature {
  // Twelve times a second.
  private static let period = 1e6 / 12
  // A question keeps it listening so long, in microseconds.
  private static let attention = 3e6
  // The note that the reference is the frequency of.
  private static let referenceNote = 69.0

  private let context: Context
  private let worker = Worker("tuner")
  private var ear: TunerEar?
  private var heard = TunerEar.Finding()
  private var nextTime = 0.0
  private var askedUntil = -Double.infinity
  /// Whether a pedal's lights show it.
  var isLit = false

  init(_ context: Context) { self.context = context }

  var workers: [Worker] { [worker] }

  /// Listens, and tells what is heard, at its time.
  func poll(_ now: Double) -> Int? {
    let isWanted = now < askedUntil || isLit || context.isWanted(Self.path)
    if let ear, !isWanted || isPast(ear) { end(ear) }
    guard isWanted else { return nil }
    if ear == nil { begin(now) }
    if let ear, now >= nextTime, worker.count == 0 {
      // On the grid of its period, so that a late turn doesn't slow it down.
      nextTime = max(nextTime + Self.period, now)
      worker.run({ ear.listen() }, then: { [weak self] in self?.tell($0, of: ear) })
    }
    return max(1, Int(((nextTime - now) / 1000).rounded(.up)))
  }

  /// Whether nothing comes to an ear any more: the rate is another one, or it was too late.
  private func isPast(_ ear: TunerEar) -> Bool {
    ear.ring.rate != context.engine.shared.sampleRate || ear.ring.hasEnded
  }

  // MARK: - The audio thread

  private func begin(_ now: Double) {
    let ear = TunerEar(rate: context.engine.shared.sampleRate)
    let command = PlannedCommand(action: .tune(ear.ring.pointer))
    // Where too much is under way it is tried again.
    guard (try? context.submit([command], path: Self.path)) != nil else { return }
    self.ear = ear
    // By then it has heard something.
    nextTime = now + Self.period
  }

  private func end(_ ear: TunerEar) {
    // The audio thread has let go of the ring when this is done.
    let command = PlannedCommand(action: .tune(nil), whenDone: { _ = ear })
    guard (try? context.submit([command], path: Self.path)) != nil else { return }
    self.ear = nil
    heard = TunerEar.Finding()
  }

  // MARK: - What is heard

  private func tell(_ outcome: Result<TunerEar.Finding, Refusal>, of ear: TunerEar) {
    // A machine that has no thread for it has other troubles, and tells them.
    guard case .success(let finding) = outcome, ear === self.ear else { return }
    heard = finding
    context.announce(Self.path, reading)
  }

  private var reading: [Argument] {
    let level = Argument.float(Level.decibels(heard.peak))
    guard let frequency = heard.frequency else { return [.int32(-1), .float(0), level] }
    let reference = context[Fingerboard.self].keyboard.grid.tuning.referenceHz
    let place = Self.referenceNote + Cents.of(frequency / reference) / 100
    let note = place.rounded()
    guard 0...127 ~= note else { return [.int32(-1), .float(0), level] }
    return [.int32(Int32(note)), .float(Float((place - note) * 100)), level]
  }

  /// The distance of what is heard from its note, in cents; nil where no tone is steady.
  var cents: Double? { reading[0] == .int32(-1) ? nil : reading[1].number }

  private func answer() -> [Argument] {
    askedUntil = context.now() + Self.attention
    return reading
  }
}

extension Tuner {
  static let path = "/tuner"

  static let addresses: [Address] = [
    Address(
      path,
      // Not announced as it changes, but at its own pace.
      Of<Tuner>.reading(types: "iff", isAnnounced: false) { $0.answer() },
      "Note of the live input, or -1 where no tone is steady, its distance in cents by "
        + "/grid/reference, and the peak in dB; sent to subscribers 12 times a second. Listens for "
        + "3 s from a question on")
  ]
}
