internal import CJack
internal import Foundation

/// A JACK client in place of a sound card whose output is connected to its input: by cable, or through a room
/// with noise.
package final class StandInCard: ServerClient, @unchecked Sendable {
  /// The ports of the card.
  package static let playback = "card:playback_1", capture = "card:capture_1"

  /// The latency that the card reports for its output and its input, in frames.
  package typealias Reported = (output: UInt32, input: UInt32)

  private let client: OpaquePointer
  private let input, output: OpaquePointer
  private let gate = CallbackGate()
  private let reported: Reported
  private let echoes: [(delay: Int, gain: Float)]
  private let noise: Float
  // The audio thread only.
  private var memory: [Float]
  private var written = 0
  private var state: UInt32 = 1

  /// Joins a server.
  ///
  /// The echoes have their delay in frames; the noise is white, at a peak level.
  package init(
    server: String, echoes: [(delay: Int, gain: Float)], noise: Float = 0,
    reported: Reported = (0, 0)
  ) throws {
    var status = JackStatus(rawValue: 0)
    guard let client = nj_client_open("card", JackNoStartServer, &status, server) else {
      throw Fault("the card can't join \(server)")
    }
    func register(_ name: String, _ direction: JackPortFlags) -> OpaquePointer {
      jack_port_register(
        client, name, JACK_DEFAULT_AUDIO_TYPE,
        UInt(direction.rawValue | JackPortIsTerminal.rawValue | JackPortIsPhysical.rawValue), 0)
    }
    self.client = client
    input = register("playback_1", JackPortIsInput)
    output = register("capture_1", JackPortIsOutput)
    (self.echoes, self.noise, self.reported) = (echoes, noise, reported)
    memory = [Float](repeating: 0, count: 1 << 16)
    let context = Unmanaged.passUnretained(self).toOpaque()
    jack_set_process_callback(
      client,
      { frames, context in
        let card = Unmanaged<StandInCard>.fromOpaque(context!).takeUnretainedValue()
        _ = card.gate.pass { card.process(Int(frames)) }
        return 0
      }, context)
    jack_set_latency_callback(
      client,
      { mode, context in
        let card = Unmanaged<StandInCard>.fromOpaque(context!).takeUnretainedValue()
        let isCapture = mode == JackCaptureLatency
        let frames = isCapture ? card.reported.input : card.reported.output
        var range = jack_latency_range_t(min: frames, max: frames)
        jack_port_set_latency_range(isCapture ? card.output : card.input, mode, &range)
      }, context)
    jack_activate(client)
    jack_recompute_total_latencies(client)
    ServerClients.add(self, of: server)
  }

  deinit { close() }

  private var isClosed = false

  /// Leaves the server.
  package func close() {
    guard !isClosed else { return }
    isClosed = true
    gate.close()
    jack_client_close(client)
  }

  /// Connects a node to the card, in place of its present input.
  package func connect(to node: String) throws {
    for (from, to) in [("\(node):out_1", Self.playback), (Self.capture, "\(node):in_1")] {
      let result = jack_connect(client, from, to)
      guard result == 0 || result == EEXIST else { throw Fault("can't connect \(from) to \(to)") }
    }
  }

  private func process(_ frames: Int) {
    let played = jack_port_get_buffer(input, UInt32(frames))!.assumingMemoryBound(to: Float.self)
    let heard = jack_port_get_buffer(output, UInt32(frames))!.assumingMemoryBound(to: Float.self)
    let mask = memory.count - 1
    for frame in 0..<frames {
      memory[written & mask] = played[frame]
      var sum: Float = 0
      for echo in echoes { sum += echo.gain * memory[(written &- echo.delay) & mask] }
      if noise > 0 {
        state = state &* 1_664_525 &+ 1_013_904_223
        sum += noise * Float(Int32(bitPattern: state)) / Float(1 << 31)
      }
      heard[frame] = sum
      written &+= 1
    }
  }
}
