internal import CJack
internal import CRealtime
internal import DSP
package import Engine
internal import Glibc
internal import Posix
internal import Synchronization

/// A short-lived JACK client that plays a signal on one port, and records another port frame by frame.
package final class RouteRecorder {
  /// The recording of a signal.
  package struct Recording: Sendable {
    /// As many samples as were played.
    package let samples: [Float]
    /// The latency of the route that JACK reports, in frames.
    package let reported: Int
    /// The number of xruns and missing buffers.
    package let faults: Int
  }

  /// A port that does not exist or can't be used.
  package struct PortError: Error, CustomStringConvertible {
    package let description: String
  }

  private static let pollMilliseconds: Int32 = 20
  // A server that gives no block for this long has ended, in microseconds.
  private static let patience = 5_000_000.0

  /// The sample rate in Hz, and the buffer size in frames.
  package let rate: Int, block: Int
  private let client: OpaquePointer
  private let context: UnsafeMutablePointer<RouteContext>
  private let buffers = Buffers()
  private let output: String
  private let input: String

  /// Joins a server and connects to a route; throws if there is no server or no such port.
  package init(from output: String, to input: String, server: String?) throws {
    jack_set_error_function { _ in }
    jack_set_info_function { _ in }
    var status = JackStatus(rawValue: 0)
    guard let client = nj_client_open("syrinx-calibrate", JackNoStartServer, &status, server)
    else { throw JackError.noServer(server) }
    self.client = client
    (self.output, self.input) = (output, input)
    rate = Int(jack_get_sample_rate(client))
    block = Int(jack_get_buffer_size(client))
    func register(_ name: String, _ direction: JackPortFlags) -> OpaquePointer? {
      jack_port_register(client, name, JACK_DEFAULT_AUDIO_TYPE, UInt(direction.rawValue), 0)
    }
    guard let own = register("out", JackPortIsOutput), let hearing = register("in", JackPortIsInput)
    else {
      jack_client_close(client)
      throw JackError.refused("the ports")
    }
    context = buffers.box(RouteContext(client: client, output: own, input: hearing))
    // From here on, the client is closed with this object.
    try Self.check(output, isInput: true, client)
    try Self.check(input, isInput: false, client)
    setCallbacks()
    guard jack_activate(client) == 0 else { throw JackError.refused("to activate the client") }
    let name = String(cString: jack_get_client_name(client))
    guard jack_connect(client, "\(name):out", output) == 0,
      jack_connect(client, input, "\(name):in") == 0
    else { throw JackError.refused("the connections to \(output) and \(input)") }
  }

  deinit {
    // No two clients of nodes leave at once: see `Membership.leaveInTurn`.
    let turn = try? FileLock(awaiting: Membership.leavingLock)
    jack_client_close(client)
    withExtendedLifetime(turn) {}
  }

  private func setCallbacks() {
    jack_set_process_callback(client, processRoute, context)
    jack_set_xrun_callback(
      client,
      { context in
        let context = context!.assumingMemoryBound(to: RouteContext.self)
        context.pointee.faults.add(1, ordering: .relaxed)
        return 0
      }, context)
  }

  private static func check(_ port: String, isInput: Bool, _ client: OpaquePointer) throws {
    let direction = isInput ? JackPortIsInput : JackPortIsOutput
    let all = copyNames(
      jack_get_ports(client, nil, JACK_DEFAULT_AUDIO_TYPE, UInt(direction.rawValue)))
    guard !all.contains(port) else { return }
    let own = String(cString: jack_get_client_name(client)) + ":"
    let others = all.filter { !$0.hasPrefix(own) }
    throw PortError(
      description: "no \(isInput ? "playback" : "capture") port \(port); "
        + (others.isEmpty ? "there are none" : "there are \(others.joined(separator: ", "))"))
  }

  /// The sound card, rate and buffer size of the route.
  package var route: SoundRoute {
    SoundRoute(
      card: cards(from: output, to: input, client) ?? output, rate: rate,
      block: Int(jack_get_buffer_size(client)))
  }

  /// Plays a signal, and records as many frames.
  ///
  /// Calls `progress` with the share that is done. Returns nil if the server ends meanwhile.
  package func record(_ signal: [Float], progress: (Double) -> Void = { _ in }) -> Recording? {
    let memory = Buffers()
    let played = memory.copied(signal)
    let recorded = memory.floats(signal.count)
    let state = context.pointee.begin(played, recorded, signal.count)
    var (last, changed) = (0, HostTime.steady)
    while case let done = context.pointee.position.load(ordering: .acquiring), done < signal.count {
      if done != last { (last, changed) = (done, HostTime.steady) }
      guard HostTime.steady - changed < Self.patience else {
        // Closing the client ends the callbacks, which use this memory.
        jack_deactivate(client)
        return nil
      }
      progress(Double(done) / Double(signal.count))
      _ = poll(nil, 0, Self.pollMilliseconds)
    }
    let samples = Array(UnsafeBufferPointer(start: recorded, count: signal.count))
    withExtendedLifetime(memory) {}
    let faults = context.pointee.faults.load(ordering: .relaxed) - state
    return Recording(samples: samples, reported: reported, faults: faults)
  }

  private var reported: Int {
    func latency(_ port: String, _ mode: jack_latency_callback_mode_t) -> Int {
      guard let handle = jack_port_by_name(client, port) else { return 0 }
      var range = jack_latency_range_t()
      jack_port_get_latency_range(handle, mode, &range)
      return Int(range.max)
    }
    return latency(output, JackPlaybackLatency) + latency(input, JackCaptureLatency)
  }
}

/// The context of the recorder's callbacks.
struct RouteContext: ~Copyable {
  let client: OpaquePointer, output: OpaquePointer, input: OpaquePointer
  /// The frames done of the present signal.
  let position = Atomic<Int>(0)
  let faults = Atomic<Int>(0)
  // The length of the signal. Releasing: its memory is set before.
  private let length = Atomic<Int>(0)
  // Written by the main thread while the length is 0.
  private var signal: UnsafeMutablePointer<Float>?
  private var recording: UnsafeMutablePointer<Float>?
  // The audio thread only.
  private var expected: jack_nframes_t = 0
  private var hasExpected = false

  init(client: OpaquePointer, output: OpaquePointer, input: OpaquePointer) {
    (self.client, self.output, self.input) = (client, output, input)
  }

  /// Starts a signal; returns the faults so far.
  mutating func begin(
    _ signal: UnsafeMutablePointer<Float>, _ recording: UnsafeMutablePointer<Float>, _ count: Int
  ) -> Int {
    self.signal = signal
    self.recording = recording
    position.store(0, ordering: .relaxed)
    length.store(count, ordering: .releasing)
    return faults.load(ordering: .relaxed)
  }

  @_noLocks
  fileprivate mutating func process(_ frames: jack_nframes_t) {
    let played = samples(output, frames)
    let heard = samples(input, frames)
    let now = jack_last_frame_time(client)
    if hasExpected && now != expected { faults.add(1, ordering: .relaxed) }
    hasExpected = true
    expected = now &+ frames
    let length = length.load(ordering: .acquiring)
    var done = position.load(ordering: .relaxed)
    for frame in 0..<Int(frames) {
      guard done < length, let signal, let recording else {
        played[frame] = 0
        continue
      }
      played[frame] = signal[done]
      recording[done] = heard[frame]
      done &+= 1
    }
    // Ended, the memory is not touched again.
    if done == length { self.length.store(0, ordering: .relaxed) }
    // Releasing: the recording is complete up to here.
    position.store(done, ordering: .releasing)
  }
}

/// Called by JACK on its audio thread once per block.
@_noLocks
private func processRoute(_ frames: jack_nframes_t, _ argument: UnsafeMutableRawPointer?) -> Int32 {
  rt_enter()
  argument.unsafelyUnwrapped.assumingMemoryBound(to: RouteContext.self).pointee.process(frames)
  rt_exit()
  return 0
}
