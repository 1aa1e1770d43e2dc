internal import CJack
internal import CRealtime
internal import DSP
internal import Engine
internal import Posix
internal import Synchronization

/// The context of JACK's callbacks.
///
/// It outlives the client.
struct CallbackContext: ~Copyable {
  let client: OpaquePointer
  /// The ports, in the order of the plans.
  let ports: [OpaquePointer]
  let renderer: Renderer
  // Retains the renderer's memory.
  private let engine: Engine
  let facts: ServerFacts
  let wake: Signal
  /// The number of JACK's notification thread; 0 until the first notification.
  let notificationThread = Atomic<Int32>(0)
  private let joined = HostTime.steady
  private static let joiningMicroseconds = 500_000.0

  // The same ports for the audio thread, without an array.
  private let input, output, live, harmony, grid: StereoPort
  private let click, speechPort: OpaquePointer
  private let speech: SpeechPointer
  private let midiIn, midiOut: OpaquePointer
  private let buffers = Buffers()
  private let loops: UnsafeMutablePointer<StereoPort>
  private let loopCount: Int
  // The buffers of the loops' stems in a block.
  private let stems: UnsafeMutablePointer<Stereo>
  // The ports whose buffers were fetched in the last block, which must not play again.
  private var fetched = PortUse.all
  // The buffers of the last block, and its length; 0 before the first.
  private var buffersOfBlock: Ports
  private var lastFrames: jack_nframes_t = 0
  private var isFirst = true
  // Memory for blocks of unconnected ports: silence, and a buffer for each other side.
  private static var longestOwnBlock: Int { @_noLocks get { 8192 } }
  private static var ownSides: Int { @_noLocks get { 9 } }
  private let own: UnsafeMutablePointer<Float>
  // The MIDI messages of a block.
  private let received: MIDIBlock, clock: MIDIBlock, sent: MIDIBlock

  /// Creates the context of a client with planned ports.
  init(
    client: OpaquePointer, plans: [PortPlan], ports: [OpaquePointer], renderer: Renderer,
    engine: Engine, facts: ServerFacts, wake: Signal
  ) {
    func find(_ use: PortUse) -> [OpaquePointer] {
      zip(plans, ports).filter { $0.0.use.has(use) }.map(\.1)
    }
    func stereo(_ use: PortUse) -> StereoPort {
      let found = find(use)
      return StereoPort(left: found[0], right: found[1])
    }
    self.client = client
    self.ports = ports
    self.renderer = renderer
    self.engine = engine
    self.facts = facts
    self.wake = wake
    input = stereo(.input)
    output = stereo(.output)
    live = stereo(.live)
    harmony = stereo(.harmony)
    grid = stereo(.grid)
    click = find(.click)[0]
    speechPort = find(.speech)[0]
    speech = engine.shared.speech.pointer
    midiIn = find(.midiIn)[0]
    midiOut = find(.midiOut)[0]
    loopCount = engine.shared.loops.count
    loops = buffers.made(count: loopCount) { stereo(.stem(ofLoop: $0)) }
    own = buffers.floats((1 + Self.ownSides) * Self.longestOwnBlock)
    stems = buffers.filled(with: Stereo(own, own), count: loopCount)
    let silence = Stereo(own, own)
    buffersOfBlock = Ports(
      input: silence, output: silence, live: silence, harmony: silence, grid: silence, click: own,
      use: .none)
    facts.blocks.begin()
    (received, clock, sent) = (
      MIDIBlock(in: buffers), MIDIBlock(in: buffers), MIDIBlock(in: buffers)
    )
  }

  /// Called by JACK on its own thread when the server has shut down.
  ///
  /// Calling JACK from there is not safe.
  func noteShutdown() {
    facts.isRunning.store(false, ordering: .relaxed)
    facts.isGone.store(true, ordering: .relaxed)
    wake.set()
  }

  /// Called by JACK on its notification thread after an xrun.
  func noteXrun() {
    // Joining causes xruns of its own, which are not the engine's fault.
    guard HostTime.steady > joined + Self.joiningMicroseconds else { return }
    let delay = jack_get_xrun_delayed_usecs(client)
    facts.countXrun(microseconds: delay)
    facts.blocks.noteXrun(microseconds: delay)
  }

  /// Called by JACK on its notification thread when ports were registered, unregistered, or connected.
  func noteGraph() {
    notificationThread.store(Thread.number, ordering: .relaxed)
    facts.noteGraph()
    wake.set()
  }

  /// Called by JACK on its notification thread when a port was registered or unregistered.
  func notePort(_ id: jack_port_id_t) {
    // An unregistered port still has its name if its client was only deactivated.
    if let port = jack_port_by_id(client, id), let name = jack_port_name(port) {
      facts.portNews.withLock { _ = $0.changed.insert(String(cString: name)) }
    }
    noteGraph()
  }

  /// Called by JACK on its notification thread when a port was renamed.
  func noteRename(_ old: String, _ new: String) {
    facts.portNews.withLock { $0.renamed.append((old, new)) }
    noteGraph()
  }

  /// Called by JACK on its notification thread, once for each direction.
  func reportLatency(_ mode: jack_latency_callback_mode_t) {
    let delay = UInt32(clamping: engine.shared.chainDelayFrames)
    if mode == JackCaptureLatency {
      var (left, right) = (range(input.left, mode), range(input.right, mode))
      engine.shared.setInputDelay(Int(max(left.max, right.max)))
      set(live.left, mode, left)
      set(live.right, mode, right)
      set(harmony.left, mode, harmonies(left))
      set(harmony.right, mode, harmonies(right))
      left.min += delay
      left.max += delay
      right.min += delay
      right.max += delay
      set(output.left, mode, left)
      set(output.right, mode, right)
    } else {
      engine.shared.setOutputDelay(
        Int(max(range(output.left, mode).max, range(output.right, mode).max)))
      set(input.left, mode, playback(output.left, live.left, delay))
      set(input.right, mode, playback(output.right, live.right, delay))
    }
  }

  /// The capture latency of the harmonies of an input.
  private func harmonies(_ input: jack_latency_range_t) -> jack_latency_range_t {
    let delay = UInt32(HarmonyVoice.delaySeconds * Double(jack_get_sample_rate(client)) + 0.5)
    return jack_latency_range_t(min: input.min + delay, max: input.max + delay)
  }

  /// The playback latency of an input, through the mix and the stem.
  private func playback(
    _ out: OpaquePointer, _ stem: OpaquePointer, _ delay: UInt32
  ) -> jack_latency_range_t {
    var whole = range(out, JackPlaybackLatency)
    whole.min += delay
    whole.max += delay
    guard jack_port_connected(stem) > 0 else { return whole }
    let other = range(stem, JackPlaybackLatency)
    guard jack_port_connected(out) > 0 else { return other }
    return jack_latency_range_t(min: min(whole.min, other.min), max: max(whole.max, other.max))
  }

  private func range(
    _ port: OpaquePointer, _ mode: jack_latency_callback_mode_t
  ) -> jack_latency_range_t {
    var range = jack_latency_range_t()
    jack_port_get_latency_range(port, mode, &range)
    return range
  }

  private func set(
    _ port: OpaquePointer, _ mode: jack_latency_callback_mode_t, _ range: jack_latency_range_t
  ) {
    var range = range
    jack_port_set_latency_range(port, mode, &range)
  }
}

/// The context in the argument of a callback.
func callbackContext(
  _ pointer: UnsafeMutableRawPointer?
) -> UnsafeMutablePointer<CallbackContext> {
  pointer!.assumingMemoryBound(to: CallbackContext.self)
}

/// Called by JACK on its audio thread once per block: the root of all real-time code.
@_noLocks
func processBlock(_ frames: jack_nframes_t, _ argument: UnsafeMutableRawPointer?) -> Int32 {
  rt_enter()
  let context = argument.unsafelyUnwrapped.assumingMemoryBound(to: CallbackContext.self)
  context.pointee.render(frames)
  rt_exit()
  return 0
}

// MARK: - Audio thread

extension CallbackContext {
  @_noLocks
  fileprivate mutating func render(_ frames: jack_nframes_t) {
    var frame: jack_nframes_t = 0
    var due: jack_time_t = 0
    var next: jack_time_t = 0
    var period: Float = 0
    jack_get_cycle_times(client, &frame, &due, &next, &period)
    let start = jack_get_time()
    if isFirst {
      isFirst = false
      facts.blocks.audioThread.store(rt_thread_number(), ordering: .relaxed)
    }
    let cycle = Cycle(
      frame: frame,
      microseconds: Double(due)
        + Double(bitPattern: facts.clockDifference.load(ordering: .relaxed)),
      isFreewheeling: facts.isFreewheeling.load(ordering: .relaxed), transport: transport)
    // Acquiring: the connections were made before.
    var connected = PortUse(bits: facts.connectedPorts.load(ordering: .acquiring))
    if Int(frames) > Self.longestOwnBlock { connected = .all }
    // A new connection carries silence until it is known, rather than the sound of the last one.
    let former = fetched.subtracting(connected)
    if !former.isEmpty { silence(former, frames) }
    fetched = connected
    fetchBuffers(connected, frames)
    if connected.has(.midiIn) {
      received.clear()
      clock.clear()
      receiveMIDI(midiIn, frames, received, clock: clock)
    }
    if connected.has(.midiOut) { sent.clear() }
    if !renderer.render(cycle, frames: Int(frames), ports: buffersOfBlock) {
      silence(connected, frames)
    }
    if connected.has(.speech) {
      speech.play(to: samples(speechPort, frames), frames: Int(frames))
    }
    if connected.has(.midiOut) { sendMIDI(sent, midiOut, frames) }
    if cycle.isFreewheeling { return }
    facts.blocks.note(
      BlockTiming(
        frame: frame, frames: frames, start: start,
        took: UInt32(truncatingIfNeeded: jack_get_time() &- start)))
  }

  /// Fetches the buffers of a block.
  ///
  /// Own memory stays the same until other ports are connected, or the length of blocks changes.
  @_noLocks
  private mutating func fetchBuffers(_ connected: PortUse, _ frames: jack_nframes_t) {
    guard connected.bits == buffersOfBlock.use.bits, frames == lastFrames,
      connected.subtracting(.main).isEmpty
    else {
      lastFrames = frames
      buffersOfBlock = buffers(connected, frames)
      return
    }
    // MIDI messages are in memory of this context.
    if connected.has(.input) { buffersOfBlock.input = input.buffers(frames) }
    if connected.has(.output) { buffersOfBlock.output = output.buffers(frames) }
  }

  /// The buffers of the connected ports, and own memory for the others.
  @_noLocks @inline(never)
  private func buffers(_ connected: PortUse, _ frames: jack_nframes_t) -> Ports {
    let silence = own
    let unconnected = own + Self.longestOwnBlock
    // Adjacent, in whole cache lines.
    let side = (Int(frames) &+ 15) & ~15
    func ownSides(_ index: Int) -> Stereo {
      Stereo(unconnected + index &* side, unconnected + (index &+ 1) &* side)
    }
    for index in 0..<loopCount where connected.has(.stem(ofLoop: index)) {
      stems[index] = loops[index].buffers(frames)
    }
    return Ports(
      input: connected.has(.input) ? input.buffers(frames) : Stereo(silence, silence),
      output: connected.has(.output) ? output.buffers(frames) : ownSides(0),
      live: connected.has(.live) ? live.buffers(frames) : ownSides(2),
      harmony: connected.has(.harmony) ? harmony.buffers(frames) : ownSides(7),
      grid: connected.has(.grid) ? grid.buffers(frames) : ownSides(4),
      click: connected.has(.click) ? samples(click, frames) : unconnected + 6 &* side,
      loops: stems, midiIn: connected.has(.midiIn) ? received : nil,
      clockIn: connected.has(.midiIn) ? clock : nil,
      midiOut: connected.has(.midiOut) ? sent : nil, use: connected)
  }

  /// Silences outputs.
  @_noLocks @inline(never)
  private func silence(_ ports: PortUse, _ frames: jack_nframes_t) {
    if ports.has(.output) { output.silence(frames) }
    if ports.has(.live) { live.silence(frames) }
    if ports.has(.harmony) { harmony.silence(frames) }
    if ports.has(.grid) { grid.silence(frames) }
    if ports.has(.click) { rt_zero(samples(click, frames), Int(frames)) }
    if ports.has(.speech) { rt_zero(samples(speechPort, frames), Int(frames)) }
    for index in 0..<loopCount where ports.has(.stem(ofLoop: index)) {
      loops[index].silence(frames)
    }
    if ports.has(.midiOut) { clearMIDI(midiOut, frames) }
  }

  /// The transport of the server, if the node follows it.
  private var transport: Transport {
    @_noLocks get {
      guard renderer.isTransportFollowed else { return Transport() }
      let found = nj_transport_query(client)
      return Transport(
        isRolling: found.is_rolling != 0, frame: Int64(found.frame),
        beatsPerMinute: found.beats_per_minute, beatsPerBar: found.beats_per_bar,
        beat: found.beat, slack: found.beat_slack)
    }
  }
}
