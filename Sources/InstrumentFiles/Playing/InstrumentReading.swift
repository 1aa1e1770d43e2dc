package import DSP
internal import Posix

/// The reading of an instrument's sounds, on two threads, which goes on while it is played.
///
/// First comes what is played most, and before that what somebody wanted to play and did not get.
package final class InstrumentReading: @unchecked Sendable {
  // How long the end of another thread's sound is waited for at a time.
  private static let waitMilliseconds = 5
  // A broken file can have a fault for each of thousands of samples.
  private static let mostFaults = 100

  private struct State {
    var waiting: [Int]
    /// How many sounds are on their way, and how many are there.
    var underWay = 0, published = 0
    var readBytes = 0
    var faults: [(sample: Int, text: String)] = []
  }

  /// The instrument for the audio thread.
  package let instrument: SamplerInstrument
  private let description: Instrument
  private let ticket: InstrumentTicket
  private let allBytes: Int
  private let state: Guarded<State>
  private let progress: Signal

  /// The reading of an instrument for somebody who can withdraw the ticket.
  package init(_ description: Instrument, _ ticket: InstrumentTicket) throws(InstrumentFault) {
    try description.checkSize(needing: InstrumentImage.bytes(of: description))
    self.description = description
    self.ticket = ticket
    instrument = InstrumentImage.make(description)
    let order = description.readingOrder
    // Those that are wanted first are at the end, from where they are taken.
    state = Guarded(State(waiting: order.reversed()))
    allBytes = order.reduce(0) { [instrument] in $0 + Self.bytes($1, description, instrument) }
    do throws(SystemError) {
      progress = try Signal()
    } catch {
      throw InstrumentFault(.unwritable, "\(error)")
    }
  }

  private static func bytes(
    _ sample: Int, _ description: Instrument, _ instrument: SamplerInstrument
  ) -> Int {
    description.samples[sample].channels * instrument.frames(of: sample)
  }

  /// Whether nothing is left to be read.
  package var isOver: Bool { state.withLock { $0.waiting.isEmpty && $0.underWay == 0 } }

  /// Faults found so far, and what else is to be told of the instrument.
  package var notes: [String] {
    let faults = state.withLock { $0.faults }
    return description.notes(
      adding: faults.sorted { $0.sample < $1.sample }.prefix(Self.mostFaults).map(\.text))
  }

  /// Reads until it can be played, or all of it where that does not take longer than the ticket's
  /// patience; false where it was withdrawn.
  package func begin() throws(InstrumentFault) -> Bool {
    let start = HostTime.steady
    var others = 0
    func share() {
      // Without another thread it takes longer.
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
        "\(description.name) has nothing that can be played"
          + (notes.first.map { ": \($0)" } ?? ""))
    }
    return true
  }

  private func goOn() {
    let workshop = SoundWorkshop()
    while !ticket.isWithdrawn, readNext(workshop) {}
  }

  /// Reads a sound; false where none waits.
  private func readNext(_ workshop: SoundWorkshop) -> Bool {
    let next = state.withLock { state -> Int? in
      guard !state.waiting.isEmpty else { return nil }
      state.underWay += 1
      if let missed = state.waiting.lastIndex(where: instrument.isMissed) {
        return state.waiting.remove(at: missed)
      }
      return state.waiting.removeLast()
    }
    guard let next else { return false }
    var fault: String?
    do throws(InstrumentFault) {
      let frames = instrument.frames(of: next)
      let channels = try description.samples[next].read(first: frames)
      instrument.make(next, of: channels, in: workshop)
    } catch {
      fault = error.description
    }
    finish(next, fault)
    return true
  }

  private func finish(_ sample: Int, _ fault: String?) {
    let done = state.withLock { state in
      if let fault {
        state.faults.append((sample, fault))
        instrument.giveUp(sample)
      } else {
        state.published += 1
        instrument.publish(sample)
      }
      state.underWay -= 1
      state.readBytes += Self.bytes(sample, description, instrument)
      return Double(state.readBytes) / Double(max(1, allBytes))
    }
    ticket.note(done)
    progress.set()
  }
}
