internal import CRealtime
package import DSP
internal import Synchronization

/// The engine: the control side's handle to it.
///
/// It sounds when a *driver* renders it: JACK's thread, a clock that stands in while no server
/// runs, or a test. There is one driver at a time; `takeOver` hands the turn on.
package final class Engine: Sendable {
  /// The memory that control threads and the audio thread share.
  package let shared: Shared
  private let core: CorePointer

  /// An engine that nobody renders yet.
  package init(sampleRate: Double, loops: LoopSetup = LoopSetup()) {
    shared = Shared(loops: loops, sampleRate: sampleRate)
    core = CorePointer(shared: shared, loops: loops, sampleRate: sampleRate)
  }

  /// Ends the turn of whoever renders, and returns the means to render from now on.
  ///
  /// What the former driver still tries to render stays silent. Waits for a block under way to end.
  /// A driver to whom nobody listens needn't fade in: its sound is there from the first frame on, and
  /// the clock tells the time before that already, counted from the engine's own first frame.
  package func takeOver(sampleRate: Double, fadesIn: Bool = true) -> Renderer {
    var turn = shared.turn.load(ordering: .relaxed)
    while true {
      let idle = turn & ~1
      // Odd: nobody renders while the core is prepared. Acquiring: what the former driver did
      // to the core is seen here.
      let (exchanged, original) = shared.turn.compareExchange(
        expected: idle, desired: idle + 3, ordering: .acquiringAndReleasing)
      if exchanged {
        turn = idle + 2
        break
      }
      turn = original
      rt_pause()
    }
    core.pointer.pointee.begin(sampleRate: sampleRate, fadesIn: fadesIn)
    shared.rate.store(Int(sampleRate), ordering: .relaxed)
    shared.turn.store(turn, ordering: .releasing)  // publishes the core to the new driver
    return Renderer(core: core.pointer, turn: turn)
  }
}

extension Engine {
  /// Ends the turn of whoever renders, and returns the means to put loops of a rate into the engine until
  /// the next driver takes it over.
  package func fillLoops(sampleRate: Double) -> LoopFiller {
    _ = takeOver(sampleRate: sampleRate)
    return LoopFiller(core: core.pointer)
  }
}

/// Owns the core's memory.
private struct CorePointer: ~Copyable, @unchecked Sendable {
  let pointer: UnsafeMutablePointer<Core>

  init(shared: Shared, loops: LoopSetup, sampleRate: Double) {
    pointer = .allocate(capacity: 1)
    pointer.initialize(to: Core(shared: shared, loops: loops, sampleRate: sampleRate))
  }

  deinit {
    pointer.deinitialize(count: 1)
    pointer.deallocate()
  }
}

/// The right to render an engine.
///
/// The engine must outlive it.
package struct Renderer: BitwiseCopyable, @unchecked Sendable {
  private let core: UnsafeMutablePointer<Core>
  private let turn: UInt64

  init(core: UnsafeMutablePointer<Core>, turn: UInt64) {
    self.core = core
    self.turn = turn
  }

  /// Whether the engine wants to know of the server's transport.
  package var isTransportFollowed: Bool {
    @_noLocks get { core.pointee.shared.isTransportFollowed }
  }

  /// Whether the server's transport has its bars and beats from the engine.
  package var isTransportLed: Bool {
    @_noLocks get { core.pointee.shared.isTransportLed }
  }

  /// Where the frame of the transport that comes so many frames after the last block's first lies
  /// among bars and beats; nil when the turn has passed to another driver.
  @_noLocks
  package func position(after frames: Int, transportFrame: Int64) -> BarPosition? {
    // As in `render`.
    guard
      core.pointee.shared.turn.compareExchange(
        expected: turn, desired: turn &+ 1, ordering: .acquiring
      ).exchanged
    else { return nil }
    let position = core.pointee.position(after: frames, transportFrame: transportFrame)
    core.pointee.shared.turn.store(turn, ordering: .releasing)
    return position
  }

  /// Plays a recording in the place of the input from the first block on; before that, and only by
  /// a driver without a clock, which can wait for what it is played from.
  ///
  /// Whoever calls this keeps the ring alive for as long as the engine.
  package func play(_ recording: SongPointer) { core.pointee.play(recording) }

  /// Renders one block of any length into the ports; false, and nothing written, when the turn
  /// has passed to another driver.
  @_noLocks
  package func render(_ cycle: Cycle, frames: Int, ports: Ports) -> Bool {
    // Acquiring: the core as `takeOver` or the last block left it.
    guard
      core.pointee.shared.turn.compareExchange(
        expected: turn, desired: turn &+ 1, ordering: .acquiring
      ).exchanged
    else { return false }
    core.pointee.render(cycle, frames: frames, ports: ports)
    core.pointee.shared.turn.store(turn, ordering: .releasing)
    return true
  }
}
