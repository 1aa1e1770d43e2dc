package import DSP
internal import Posix

/// The progressive load of an instrument's sounds on two threads while it is played.
///
/// The samples in the middle of the keyboard come first. Samples of notes that were played but not
/// loaded yet are moved to the front.
package final class InstrumentReading: @unchecked Sendable {
  // The time to wait for the other thread's next sound before checking again.
  private static let waitMilliseconds = 5
  // A broken file can have a fault in each of thousands of samples.
  private static let mostFaults = 100

  private struct State {
    var waiting: [Int]
    /// The samples that are still to be read; nil for the others.
    ///
    /// Those in memory can be larger than the instrument.
    var samples: [InstrumentSample?]
    /// The number of sounds being read, and of those that are ready.
    var underWay = 0, published = 0
    var readBytes = 0
    var faults: [(sample: Int, text: String)] = []
  }

  /// The instrument for the audio thread.
  package let instrument: SamplerInstrument
  // The description, without its samples.
  private let description: Instrument
  private let ticket: InstrumentTicket
  private let allBytes: Int
  private let state: Guarded<State>
  private let progress: Signal

  /// Creates a load that the owner of the ticket can cancel.
  package init(_ description: Instrument, _ ticket: InstrumentTicket) throws(InstrumentFault) {
    try description.checkSize(needing: InstrumentImage.bytes(of: description))
    self.description = description.withoutSamples
    self.ticket = ticket
    instrument = InstrumentImage.make(description)
    let order = description.readingOrder
    // Reversed: samples are taken from the end.
    let used = Set(order)
    let samples = description.samples.enumerated().map { used.contains($0) ? $1 : nil }
    state = Guarded(State(waiting: order.reversed(), samples: samples))
    allBytes = order.reduce(0) { [instrument] in
      $0 + Self.bytes($1, description.samples[$1], instrument)
    }
    progress = try system(try Signal()) { InstrumentFault(.unwritable, "\($0)") }
  }

  private static func bytes(
    _ index: Int, _ sample: InstrumentSample, _ instrument: SamplerInstrument
  ) -> Int {
    sample.channels * instrument.frames(of: index)
  }

  /// Whether no sound is left to read.
  package var isOver: Bool { state.withLock { $0.waiting.isEmpty && $0.underWay == 0 } }

  /// The number of samples that are still to be read.
  package var keptSamples: Int { state.withLock { $0.samples.count { $0 != nil } } }

  /// Whether no further sound will be read, because none is left or the ticket was withdrawn.
  package var isIdle: Bool { ticket.isWithdrawn || isOver }

  /// The faults found so far, and other remarks about the instrument.
  package var notes: [String] {
    let faults = state.withLock { $0.faults }
    return description.notes(
      adding: faults.sorted { $0.sample < $1.sample }.prefix(Self.mostFaults).map(\.text))
  }

  /// Reads until the instrument is playable, or completely if that takes no longer than the
  /// ticket's patience.
  ///
  /// Returns false if the ticket was withdrawn.
  package func begin() throws(InstrumentFault) -> Bool {
    let start = HostTime.steady
    var others = 0
    func share() {
      // Without a second thread, this one reads everything, which takes longer.
      if (try? Thread.start("sounds", { self.goOn() })) != nil { others += 1 }
    }
    if state.withLock({ $0.waiting.count > 1 }) { share() }
    let workshop = SoundWorkshop()
    while !isOver {
      guard !ticket.isWithdrawn else { return false }
      let isPlayable = state.withLock { $0.published > 0 }
      if others > 0, isPlayable, HostTime.steady - start > ticket.patience {
        share()
        break
      }
      if !readNext(workshop) { progress.wait(milliseconds: Self.waitMilliseconds) }
    }
    guard !ticket.isWithdrawn else { return false }
    guard state.withLock({ $0.published > 0 }) else {
      throw InstrumentFault(
        .broken,
        "\(description.name) has nothing playable"
          + (notes.first.map { ": \($0)" } ?? ""))
    }
    return true
  }

  private func goOn() {
    let workshop = SoundWorkshop()
    while !ticket.isWithdrawn, readNext(workshop) {}
  }

  /// Reads the next sound.
  ///
  /// Returns false if none is left.
  private func readNext(_ workshop: SoundWorkshop) -> Bool {
    let next = state.withLock { state -> (index: Int, sample: InstrumentSample)? in
      guard !state.waiting.isEmpty else { return nil }
      let missed = state.waiting.lastIndex(where: instrument.isMissed)
      let index = state.waiting.remove(at: missed ?? state.waiting.count - 1)
      guard let sample = state.samples[index].take() else { return nil }
      state.underWay += 1
      return (index, sample)
    }
    guard let next else { return false }
    var fault: String?
    do throws(InstrumentFault) {
      let frames = instrument.frames(of: next.index)
      let channels = try next.sample.read(first: frames)
      instrument.make(next.index, of: channels, in: workshop)
    } catch {
      fault = error.description
    }
    finish(next.index, Self.bytes(next.index, next.sample, instrument), fault)
    return true
  }

  private func finish(_ sample: Int, _ bytes: Int, _ fault: String?) {
    state.withLock { state in
      if let fault {
        state.faults.append((sample, fault))
        instrument.giveUp(sample)
      } else {
        state.published += 1
        instrument.publish(sample)
      }
      state.underWay -= 1
      state.readBytes += bytes
      // Under the lock, so that the other thread's progress is not replaced by an earlier one.
      ticket.note(Double(state.readBytes) / Double(max(1, allBytes)))
    }
    progress.set()
  }
}
