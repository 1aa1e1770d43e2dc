internal import CRealtime
package import DSP
internal import Synchronization

/// The engine, as the control side uses it.
///
/// A *driver* renders it: JACK's thread, a standby clock while no server runs, or a test. One
/// driver at a time may render; `takeOver` passes that right to the next.
package final class Engine: Sendable {
  /// The memory that control threads and the audio thread share.
  package let shared: Shared
  private let core: CorePointer

  /// Creates an engine that nothing renders yet.
  package init(sampleRate: Double, loops: LoopSetup = LoopSetup()) {
    shared = Shared(loops: loops, sampleRate: sampleRate)
    core = CorePointer(shared: shared, loops: loops, sampleRate: sampleRate)
  }

  /// Ends the turn of the present driver, and returns the right to render from now on.
  ///
  /// Waits for the block in progress. Further blocks of the former driver stay silent. If the
  /// driver starts at full level, the clock runs from the engine's first frame even before that.
  package func takeOver(sampleRate: Double, _ start: DriverStart = .fadingIn) -> Renderer {
    var turn = shared.turn.load(ordering: .relaxed)
    while true {
      let idle = turn & ~1
      // Odd: nothing renders while the core is prepared. Acquiring: the former driver's writes to
      // the core are visible here.
      let (exchanged, original) = shared.turn.compareExchange(
        expected: idle, desired: idle + 3, ordering: .acquiringAndReleasing)
      if exchanged {
        turn = idle + 2
        break
      }
      turn = original
      rt_pause()
    }
    shared.isConnected.store(false, ordering: .relaxed)
    core.pointer.pointee.restart(sampleRate: sampleRate, start)
    shared.rate.store(Int(sampleRate), ordering: .relaxed)
    shared.turn.store(turn, ordering: .releasing)  // publishes the core to the new driver
    return Renderer(core: core.pointer, turn: turn)
  }

  /// Starts the fade of a driver that stays silent until its ports are connected.
  package func connectionsAreMade() { shared.isConnected.store(true, ordering: .relaxed) }
}

extension Engine {
  /// Ends the turn of the present driver, and returns an object that restores loops of a sample rate into
  /// the engine until the next driver takes over.
  package func restoreLoops(sampleRate: Double) -> LoopRestorer {
    _ = takeOver(sampleRate: sampleRate)
    return LoopRestorer(core: core.pointer)
  }
}

/// Owns the core's memory.
private struct CorePointer: ~Copyable, @unchecked Sendable {
  private let buffers = Buffers()
  let pointer: UnsafeMutablePointer<Core>

  init(shared: Shared, loops: LoopSetup, sampleRate: Double) {
    pointer = buffers.box(Core(shared: shared, loops: loops, sampleRate: sampleRate))
  }
}

/// The right to render an engine.
///
/// The engine must outlive it.
package struct Renderer: BitwiseCopyable, @unchecked Sendable {
  fileprivate let core: UnsafeMutablePointer<Core>
  fileprivate let turn: UInt64

  /// Whether the server's transport is followed.
  package var isTransportFollowed: Bool {
    @_noLocks get { core.pointee.shared.isTransportFollowed }
  }

  /// Whether this node is the timebase master of the server.
  package var isTransportLed: Bool {
    @_noLocks get { core.pointee.shared.isTransportLed }
  }

  /// The bar and beat of a frame of the transport, `frames` after the start of the last block; nil if
  /// another driver has the turn.
  @_noLocks
  package func position(after frames: Int, transportFrame: Int64) -> BarPosition? {
    guard beginTurn() else { return nil }
    let position = core.pointee.position(after: frames, transportFrame: transportFrame)
    endTurn()
    return position
  }

  /// Plays a recording in place of the input, from the first block, with or without pitch correction.
  ///
  /// Call this before the first block, and only on a driver without a clock, which can wait for the
  /// recording. The caller keeps the ring alive for as long as the engine.
  package func play(_ recording: SongPointer, isTuned: Bool) {
    core.pointee.play(recording, isTuned: isTuned)
  }

  /// Renders a block of any length into the ports.
  ///
  /// Returns false, and writes nothing, if another driver has the turn.
  @_noLocks
  package func render(_ cycle: Cycle, frames: Int, ports: Ports) -> Bool {
    guard beginTurn() else { return false }
    core.pointee.render(cycle, frames: frames, ports: ports)
    endTurn()
    return true
  }

  /// Keeps other drivers from the core until `endTurn`; returns false if one has the turn.
  @_noLocks
  private func beginTurn() -> Bool {
    // Acquiring: the core as `takeOver` or the last block left it.
    core.pointee.shared.turn.compareExchange(
      expected: turn, desired: turn &+ 1, ordering: .acquiring
    ).exchanged
  }

  @_noLocks
  private func endTurn() { core.pointee.shared.turn.store(turn, ordering: .releasing) }
}
