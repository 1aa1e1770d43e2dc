internal import CJack
internal import CRealtime
internal import DSP
internal import Engine
internal import Glibc
internal import Posix
internal import Synchronization

/// The node's membership in a running server: a client, its ports and its callbacks.
///
/// It is not freed before JACK has released it. `leave` does both, and may hang if the server has
/// died, so call it on an expendable thread.
final class Membership: @unchecked Sendable {
  let name: String
  let rate: Double
  let client: OpaquePointer
  let context: UnsafeMutablePointer<CallbackContext>
  // Freed with the membership, after `leave`.
  private let buffers = Buffers()
  private let plans: [PortPlan]
  // The link's thread only.
  var isLeading = false

  /// Joins a server, and plays in silence until `Engine.connectionsAreMade`.
  ///
  /// Joining may take long. If it is no longer wanted by then, it leaves the engine alone.
  init(
    name: String, server: String?, mustBeExact: Bool, engine: Engine, facts: ServerFacts,
    wake: Signal, isWanted: () -> Bool
  ) throws(JackError) {
    var status = JackStatus(rawValue: 0)
    var options = JackNoStartServer.rawValue
    if mustBeExact { options |= JackUseExactName.rawValue }
    guard
      let client = nj_client_open(name, JackOptions(rawValue: options), &status, server)
    else {
      // jackd reports a taken name as a server error, and only a missing server as a failure.
      let taken = JackNameNotUnique.rawValue | JackServerError.rawValue
      throw status.rawValue & JackServerFailed.rawValue == 0 && status.rawValue & taken != 0
        ? .nameTaken(name) : .noServer(server)
    }
    var ports: [OpaquePointer] = []
    plans = PortPlan.all(loops: engine.shared.loops.count)
    for plan in plans {
      guard let port = plan.register(with: client) else {
        jack_client_close(client)
        throw .refused("the port \(plan.name)")
      }
      ports.append(port)
    }
    guard isWanted() else {
      jack_client_close(client)
      throw .refused("a canceled client")
    }
    self.client = client
    self.name = String(cString: jack_get_client_name(client))
    rate = Double(jack_get_sample_rate(client))
    facts.rate.store(UInt32(rate), ordering: .relaxed)
    facts.block.store(jack_get_buffer_size(client), ordering: .relaxed)
    facts.isGone.store(false, ordering: .relaxed)
    facts.isFreewheeling.store(false, ordering: .relaxed)
    facts.compareClocks()
    context = buffers.box(
      CallbackContext(
        client: client, plans: plans, ports: ports,
        renderer: engine.takeOver(sampleRate: rate, .silentUntilConnected), engine: engine,
        facts: facts, wake: wake))
    setCallbacks()
    guard jack_activate(client) == 0 else {
      jack_client_close(client)
      throw .refused("to activate the client")
    }
  }

  private func setCallbacks() {
    jack_set_process_callback(client, processBlock, context)
    jack_on_info_shutdown(
      client,
      { _, _, context in callbackContext(context).pointee.noteShutdown() }, context)
    // PipeWire's libjack calls only the older one; jackd calls only the newer one if it is set.
    jack_on_shutdown(
      client, { context in callbackContext(context).pointee.noteShutdown() }, context)
    jack_set_xrun_callback(
      client,
      { context in
        callbackContext(context).pointee.noteXrun()
        return 0
      }, context)
    jack_set_buffer_size_callback(
      client,
      { frames, context in
        // Nothing to allocate: the engine takes blocks of any size.
        callbackContext(context).pointee.facts.block.store(frames, ordering: .relaxed)
        callbackContext(context).pointee.wake.set()
        return 0
      }, context)
    jack_set_sample_rate_callback(
      client,
      { rate, context in
        callbackContext(context).pointee.facts.rate.store(rate, ordering: .relaxed)
        callbackContext(context).pointee.wake.set()
        return 0
      }, context)
    jack_set_freewheel_callback(
      client,
      { starting, context in
        callbackContext(context).pointee.facts.isFreewheeling.store(
          starting != 0, ordering: .relaxed)
      }, context)
    jack_set_port_connect_callback(
      client, { _, _, _, context in callbackContext(context).pointee.noteGraph() }, context)
    // JACK reports a connection when it is requested. It is made in the next cycle of the graph,
    // which waits for the slowest client.
    jack_set_graph_order_callback(
      client,
      { context in
        callbackContext(context).pointee.noteGraph()
        return 0
      }, context)
    jack_set_port_registration_callback(
      client,
      { id, _, context in callbackContext(context).pointee.notePort(id) },
      context)
    jack_set_port_rename_callback(
      client,
      { _, old, new, context in
        guard let old, let new else { return }
        callbackContext(context).pointee.noteRename(String(cString: old), String(cString: new))
      }, context)
    jack_set_latency_callback(
      client,
      { mode, context in callbackContext(context).pointee.reportLatency(mode) }, context)
  }

  /// The server's DSP load, in percent.
  var load: Float { jack_cpu_load(client) }

  /// Makes JACK query the latencies again.
  func recomputeLatency() { jack_recompute_total_latencies(client) }

  /// Waits until libjack's notification thread has ended because the server has, with a time limit.
  ///
  /// `jack_client_close` cancels that thread, even while it handles a notification, such as that
  /// another client has left. It then never releases a lock of the whole process, which could join
  /// no server again.
  func awaitLastNotification(milliseconds: Int) {
    let thread = context.pointee.notificationThread.load(ordering: .relaxed)
    // PipeWire's libjack keeps the thread, and doesn't cancel it.
    guard thread != 0, !Self.isOfPipeWire else { return }
    let deadline = HostTime.steady + Double(milliseconds) * 1000
    while Thread.isRunning(thread), HostTime.steady < deadline { usleep(1000) }
  }

  private static var isOfPipeWire: Bool {
    String(cString: jack_get_version_string()).contains("PipeWire")
  }

  /// The lock of the client that leaves.
  static var leavingLock: String { "/dev/shm/syrinx-leaving-\(getuid())" }

  /// Removes the metadata, and leaves a running server, no two nodes at once.
  ///
  /// `jack_client_close` stops its notification thread before it asks the server to remove the client. A server
  /// that notifies it of another node's request meanwhile waits forever for that thread's answer, and is lost to
  /// all programs.
  func leaveInTurn() {
    let turn = try? FileLock(awaiting: Self.leavingLock)
    forgetPortDescriptions()
    leave()
    withExtendedLifetime(turn) {}
  }

  /// Leaves the server and frees everything.
  ///
  /// May hang if the server has died.
  func leave() {
    stopLeading()
    jack_client_close(client)
  }

  // MARK: - Connections

  /// All present connections of the node's ports.
  var links: Set<SoundConnection> {
    var result: Set<SoundConnection> = []
    for (plan, port) in zip(plans, context.pointee.ports) {
      for name in copyNames(jack_port_get_all_connections(client, port)) {
        result.insert(SoundConnection(own: plan.name, other: name))
      }
    }
    return result
  }

  /// The names of the other clients that have ports, except those of the server itself.
  var otherClients: Set<String> {
    let ports = copyNames(jack_get_ports(client, nil, nil, 0))
    let names = ports.compactMap { $0.firstIndex(of: ":").map($0.prefix(upTo:)).map(String.init) }
    return Set(names).subtracting([name, "system"])
  }

  /// Returns the name of the sound card to which the mix and an input are connected.
  func card(_ links: Set<SoundConnection>) -> String? {
    func other(_ own: [String]) -> String? {
      own.lazy.compactMap { name in links.filter { $0.own == name }.map(\.other).min() }.first
    }
    guard let output = other(PortPlan.outputs), let input = other(PortPlan.inputs) else {
      return nil
    }
    return cards(from: output, to: input, client)
  }

  /// Whether a port of this name exists.
  func hasPort(_ name: String) -> Bool { jack_port_by_name(client, name) != nil }

  /// Connects two ports if the other one exists.
  func connect(_ link: SoundConnection) {
    guard let plan = plans.first(where: { $0.name == link.own }), hasPort(link.other)
    else { return }
    let own = "\(name):\(link.own)"
    _ =
      plan.isInput
      ? jack_connect(client, link.other, own) : jack_connect(client, own, link.other)
  }

  /// Connects the inputs to the hardware inputs; a single microphone feeds both sides.
  func connectInputs() {
    let captures = physicalPorts(JackPortIsOutput)
    for (index, own) in PortPlan.inputs.enumerated() where !captures.isEmpty {
      connect(SoundConnection(own: own, other: captures[min(index, captures.count - 1)]))
    }
  }

  /// Connects the mix to the hardware outputs.
  func connectOutputs() {
    for (own, other) in zip(PortPlan.outputs, physicalPorts(JackPortIsInput)) {
      connect(SoundConnection(own: own, other: other))
    }
  }

  /// The MIDI ports of devices, of all clients.
  var devicePorts: [DevicePort] {
    [(JackPortIsOutput, true), (JackPortIsInput, false)].flatMap { direction, isSource in
      copyNames(jack_get_ports(client, nil, JACK_DEFAULT_MIDI_TYPE, UInt(direction.rawValue)))
        .compactMap { name in
          guard let port = jack_port_by_name(client, name) else { return nil }
          return DeviceName.lasting(name, aliases: copyAliases(port)).map {
            DevicePort(name: name, device: $0, isSource: isSource)
          }
        }
    }
  }

  private func physicalPorts(_ direction: JackPortFlags) -> [String] {
    copyNames(
      jack_get_ports(
        client, nil, JACK_DEFAULT_AUDIO_TYPE,
        UInt(JackPortIsPhysical.rawValue | direction.rawValue)))
  }

  // MARK: - Metadata

  /// Sets the pretty names, the order and the port groups.
  ///
  /// Returns false if the server can't store them: its metadata store is shared, and can be full.
  func describePorts() -> Bool {
    var isKept = true
    for (index, (plan, port)) in zip(plans, context.pointee.ports).enumerated() {
      let subject = jack_port_uuid(port)
      for (key, value, type) in [
        ("pretty-name", plan.prettyName, "text/plain"),
        ("port-group", plan.group, "text/plain"),
        ("order", "\(index + 1)", "http://www.w3.org/2001/XMLSchema#integer"),
      ] {
        let key = "http://jackaudio.org/metadata/\(key)"
        isKept = jack_set_property(client, subject, key, value, type) == 0 && isKept
      }
    }
    return isKept
  }

  /// Removes the metadata that `describePorts` set.
  private func forgetPortDescriptions() {
    for port in context.pointee.ports { jack_remove_properties(client, jack_port_uuid(port)) }
  }
}
