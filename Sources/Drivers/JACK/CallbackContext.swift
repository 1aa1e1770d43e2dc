internal import CJack
internal import CRealtime
internal import DSP
internal import Engine
internal import Posix
internal import Synchronization

/// The context that JACK's callbacks are given.
///
/// It outlives the client.
struct CallbackContext: ~Copyable {
  let client: OpaquePointer
  let ports: [OpaquePointer]
  let renderer: Renderer
  // Keeps alive what the renderer refers to.
  private let engine: Engine
  let facts: ServerFacts
  let wake: Signal
  private let joined = HostTime.steady
  private static let joiningMicroseconds = 500_000.0

  // The ports again, where the audio thread finds them without an array.
  fileprivate let in1, in2, out1, out2, live1, live2, loop1, loop2, grid1, grid2: OpaquePointer
  fileprivate let click: OpaquePointer
  fileprivate let midiIn, midiOut: OpaquePointer
  // Left and right of each loop after the first, and where their blocks are.
  fileprivate let furtherPorts: UnsafeMutablePointer<OpaquePointer>
  fileprivate let furtherLoops: UnsafeMutablePointer<Stereo>
  fileprivate let furtherCount: Int
  // Those that were fetched in the last block: what lies there must not be heard again.
  fileprivate var fetched = PortUse.all
  // Memory for blocks of ports that nobody is connected with: a stretch of silence, and one for each
  // other side.
  fileprivate static var longestOwnBlock: Int { @_noLocks get { 8192 } }
  fileprivate static var ownSides: Int { @_noLocks get { 7 } }
  fileprivate let own: UnsafeMutablePointer<Float>
  // What comes and goes there in a block.
  let received = MIDIBlock(), sent = MIDIBlock()

  /// `ports` are in the order of `PortPlan.all(loops:)`.
  init(
    client: OpaquePointer, ports: [OpaquePointer], renderer: Renderer, engine: Engine,
    facts: ServerFacts, wake: Signal
  ) {
    self.client = client
    self.ports = ports
    self.renderer = renderer
    self.engine = engine
    self.facts = facts
    self.wake = wake
    in1 = ports[0]
    in2 = ports[1]
    out1 = ports[2]
    out2 = ports[3]
    live1 = ports[4]
    live2 = ports[5]
    loop1 = ports[6]
    loop2 = ports[7]
    grid1 = ports[8]
    grid2 = ports[9]
    click = ports[10]
    midiIn = ports[ports.count - 2]
    midiOut = ports[ports.count - 1]
    let further = ports[PortPlan.sounds.count..<ports.count - 2]
    furtherCount = further.count / 2
    furtherPorts = .allocate(capacity: max(1, further.count))
    for (index, port) in further.enumerated() { (furtherPorts + index).initialize(to: port) }
    furtherLoops = .allocate(capacity: max(1, furtherCount))
    own = .allocate(capacity: (1 + Self.ownSides) * Self.longestOwnBlock)
    own.initialize(repeating: 0, count: (1 + Self.ownSides) * Self.longestOwnBlock)
  }

  deinit {
    furtherPorts.deallocate()
    furtherLoops.deallocate()
    own.deallocate()
    received.free()
    sent.free()
  }

  /// Called by JACK on a thread of its own, when the server has gone.
  ///
  /// No more than this is safe there.
  func noteShutdown() {
    facts.isRunning.store(false, ordering: .relaxed)
    facts.isGone.store(true, ordering: .relaxed)
    wake.set()
  }

  /// Called by JACK on its notification thread, when a block was lost.
  func noteXrun() {
    // A server stumbles over the joining itself: that is no fault of the playing.
    guard HostTime.steady > joined + Self.joiningMicroseconds else { return }
    facts.countXrun(microseconds: jack_get_xrun_delayed_usecs(client))
    wake.set()
  }

  /// Called by JACK on its notification thread, when ports came, went, or were connected.
  func noteGraph() {
    facts.noteGraph()
    wake.set()
  }

  /// Called by JACK on its notification thread, when a port came or went.
  func notePort(_ id: jack_port_id_t) {
    // One that went has its name still where its client has only been deactivated.
    if let port = jack_port_by_id(client, id), let name = jack_port_name(port) {
      facts.portNews.withLock { _ = $0.changed.insert(String(cString: name)) }
    }
    noteGraph()
  }

  /// Called by JACK on its notification thread, when a port has another name.
  func noteRename(_ old: String, _ new: String) {
    facts.portNews.withLock { $0.renamed.append((old, new)) }
    noteGraph()
  }

  /// Called by JACK on its notification thread, once for each direction.
  func reportLatency(_ mode: jack_latency_callback_mode_t) {
    let delay = UInt32(clamping: engine.shared.chainDelayFrames)
    if mode == JackCaptureLatency {
      var (left, right) = (range(in1, mode), range(in2, mode))
      engine.shared.setInputDelay(Int(max(left.max, right.max)))
      set(live1, mode, left)
      set(live2, mode, right)
      left.min += delay
      left.max += delay
      right.min += delay
      right.max += delay
      set(out1, mode, left)
      set(out2, mode, right)
    } else {
      engine.shared.setOutputDelay(
        Int(max(range(out1, mode).max, range(out2, mode).max)))
      set(in1, mode, playback(out1, live1, delay))
      set(in2, mode, playback(out2, live2, delay))
    }
  }

  /// Works out the latency of an input to where it is heard, on either way there is.
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

/// The context in a callback's argument.
func callbackContext(
  _ pointer: UnsafeMutableRawPointer?
) -> UnsafeMutablePointer<CallbackContext> {
  pointer!.assumingMemoryBound(to: CallbackContext.self)
}

/// Called by JACK on its audio thread, once a block: the root of all that must not block.
@_noLocks
func processBlock(_ frames: jack_nframes_t, _ argument: UnsafeMutableRawPointer?) -> Int32 {
  rt_enter()
  renderBlock(frames, argument.unsafelyUnwrapped.assumingMemoryBound(to: CallbackContext.self))
  rt_exit()
  return 0
}

@_noLocks
private func renderBlock(
  _ frames: jack_nframes_t, _ context: UnsafeMutablePointer<CallbackContext>
) {
  var frame: jack_nframes_t = 0
  var due: jack_time_t = 0
  var next: jack_time_t = 0
  var period: Float = 0
  jack_get_cycle_times(context.pointee.client, &frame, &due, &next, &period)
  let cycle = Cycle(
    frame: frame,
    microseconds: Double(due)
      + Double(bitPattern: context.pointee.facts.clockDifference.load(ordering: .relaxed)),
    isFreewheeling: context.pointee.facts.isFreewheeling.load(ordering: .relaxed),
    transport: transport(context))
  // Acquiring: what is connected is so since before.
  var connected = PortUse(
    bits: context.pointee.facts.connectedPorts.load(ordering: .acquiring))
  if Int(frames) > CallbackContext.longestOwnBlock { connected = .all }
  // Whoever connects hears silence until that is known, and not what was there when somebody left.
  silence(context.pointee.fetched.subtracting(connected), context, frames)
  context.pointee.fetched = connected
  let ports = ports(connected, context, frames)
  if connected.has(.midiIn) {
    context.pointee.received.clear()
    receiveMIDI(context.pointee.midiIn, frames, context.pointee.received)
  }
  if connected.has(.midiOut) { context.pointee.sent.clear() }
  if !context.pointee.renderer.render(cycle, frames: Int(frames), ports: ports) {
    silence(connected, context, frames)
  }
  if connected.has(.midiOut) { sendMIDI(context.pointee.sent, context.pointee.midiOut, frames) }
}

/// The blocks of the ports that are connected, and memory of the node's own in the place of the others'.
@_noLocks
private func ports(
  _ connected: PortUse, _ context: UnsafeMutablePointer<CallbackContext>,
  _ frames: jack_nframes_t
) -> Ports {
  let silence = context.pointee.own
  let own = silence + CallbackContext.longestOwnBlock
  // Side by side, in whole cache lines.
  let side = (Int(frames) &+ 15) & ~15
  func ownSides(_ index: Int) -> Stereo { Stereo(own + index &* side, own + (index &+ 1) &* side) }
  for index in 0..<context.pointee.furtherCount where connected.has(.stem(ofLoop: index &+ 1)) {
    (context.pointee.furtherLoops + index).initialize(
      to: stereo(
        context.pointee.furtherPorts[2 &* index], context.pointee.furtherPorts[2 &* index &+ 1],
        frames))
  }
  return Ports(
    input: connected.has(.input)
      ? stereo(context.pointee.in1, context.pointee.in2, frames) : Stereo(silence, silence),
    output: connected.has(.output)
      ? stereo(context.pointee.out1, context.pointee.out2, frames) : ownSides(0),
    live: connected.has(.live)
      ? stereo(context.pointee.live1, context.pointee.live2, frames) : ownSides(2),
    // The engine has memory of its own for the stems of loops.
    loop: connected.has(.stem(ofLoop: 0))
      ? stereo(context.pointee.loop1, context.pointee.loop2, frames) : ownSides(2),
    grid: connected.has(.grid)
      ? stereo(context.pointee.grid1, context.pointee.grid2, frames) : ownSides(4),
    click: connected.has(.click) ? samples(context.pointee.click, frames) : own + 6 &* side,
    midiIn: connected.has(.midiIn) ? context.pointee.received : nil,
    midiOut: connected.has(.midiOut) ? context.pointee.sent : nil,
    furtherLoops: context.pointee.furtherLoops, use: connected)
}

/// Makes outputs silent.
@_noLocks
private func silence(
  _ ports: PortUse, _ context: UnsafeMutablePointer<CallbackContext>,
  _ frames: jack_nframes_t
) {
  if ports.isEmpty { return }
  if ports.has(.output) { silence(context.pointee.out1, context.pointee.out2, frames) }
  if ports.has(.live) { silence(context.pointee.live1, context.pointee.live2, frames) }
  if ports.has(.grid) { silence(context.pointee.grid1, context.pointee.grid2, frames) }
  if ports.has(.click) { rt_zero(samples(context.pointee.click, frames), Int(frames)) }
  if ports.has(.stem(ofLoop: 0)) { silence(context.pointee.loop1, context.pointee.loop2, frames) }
  for index in 0..<context.pointee.furtherCount where ports.has(.stem(ofLoop: index &+ 1)) {
    silence(
      context.pointee.furtherPorts[2 &* index], context.pointee.furtherPorts[2 &* index &+ 1],
      frames)
  }
  if ports.has(.midiOut) { clearMIDI(context.pointee.midiOut, frames) }
}

@_noLocks
private func silence(
  _ left: OpaquePointer, _ right: OpaquePointer, _ frames: jack_nframes_t
) {
  rt_zero(samples(left, frames), Int(frames))
  rt_zero(samples(right, frames), Int(frames))
}

/// The server's transport, where anybody wants to know of it.
@_noLocks
private func transport(_ context: UnsafeMutablePointer<CallbackContext>) -> Transport {
  guard context.pointee.renderer.isTransportFollowed else { return Transport() }
  let found = nj_transport_query(context.pointee.client)
  return Transport(
    isRolling: found.is_rolling != 0, frame: Int64(found.frame),
    beatsPerMinute: found.beats_per_minute, beatsPerBar: found.beats_per_bar, beat: found.beat,
    slack: found.beat_slack)
}

@_noLocks
private func samples(
  _ port: OpaquePointer, _ frames: jack_nframes_t
) -> UnsafeMutablePointer<Float> {
  jack_port_get_buffer(port, frames).unsafelyUnwrapped.assumingMemoryBound(to: Float.self)
}

@_noLocks
private func stereo(
  _ left: OpaquePointer, _ right: OpaquePointer, _ frames: jack_nframes_t
) -> Stereo {
  Stereo(samples(left, frames), samples(right, frames))
}
