internal import CJack
internal import Foundation

/// The callbacks of a probe's two clients, and their data for the test.
final class ProbeCallbacks: @unchecked Sendable {
  /// The sample played for each frame.
  let signal: (UInt32) -> Float

  private let player: OpaquePointer
  private let hearer: OpaquePointer
  private let playerPorts: [OpaquePointer]
  private let hearerPort: OpaquePointer
  // The capture latency that the player's port reports, in frames.
  private let capturedDelay: UInt32
  private let gate = CallbackGate()
  // Accessed under the lock.
  private let lock = NSLock()
  private var listener: Probe.Listener?
  private var recording: [Float] = []
  private var latestBlock: (start: UInt32, samples: [Float]) = (0, [])
  private var recordingStart: UInt32 = 0
  private var isRecording = false
  private var nextFrame: UInt32 = 0
  private var gapCount = 0
  private var heardCount = 0

  /// Registers the ports of two inactive clients.
  init(
    player: OpaquePointer, hearer: OpaquePointer, capturedDelay: UInt32,
    plays: @escaping (UInt32) -> Float
  ) {
    (self.player, self.hearer, self.capturedDelay) = (player, hearer, capturedDelay)
    signal = plays
    playerPorts = ["left", "right"].map { (name: String) -> OpaquePointer in
      jack_port_register(player, name, JACK_DEFAULT_AUDIO_TYPE, UInt(JackPortIsOutput.rawValue), 0)
    }
    hearerPort = jack_port_register(
      hearer, "in", JACK_DEFAULT_AUDIO_TYPE, UInt(JackPortIsInput.rawValue), 0)
  }

  /// Sets the clients' callbacks, which run until the clients are closed; this object must live as
  /// long.
  func install() {
    let context = Unmanaged.passUnretained(self).toOpaque()
    jack_set_process_callback(
      player,
      { frames, context in
        let callbacks = Unmanaged<ProbeCallbacks>.fromOpaque(context!).takeUnretainedValue()
        if !callbacks.gate.pass({ callbacks.play(frames) }) { callbacks.silence(frames) }
        return 0
      }, context)
    jack_set_process_callback(
      hearer,
      { frames, context in
        let callbacks = Unmanaged<ProbeCallbacks>.fromOpaque(context!).takeUnretainedValue()
        _ = callbacks.gate.pass { callbacks.hear(frames) }
        return 0
      }, context)
    jack_set_latency_callback(
      player,
      { mode, context in
        guard mode == JackCaptureLatency else { return }
        let callbacks = Unmanaged<ProbeCallbacks>.fromOpaque(context!).takeUnretainedValue()
        var range = jack_latency_range_t(min: callbacks.capturedDelay, max: callbacks.capturedDelay)
        for port in callbacks.playerPorts { jack_port_set_latency_range(port, mode, &range) }
      }, context)
  }

  /// Makes the callbacks do nothing from now on.
  func end() { gate.close() }

  private func play(_ frames: UInt32) {
    let start = jack_last_frame_time(player)
    for port in playerPorts {
      let samples = jack_port_get_buffer(port, frames)!.assumingMemoryBound(to: Float.self)
      for index in 0..<frames { samples[Int(index)] = signal(start &+ index) }
    }
  }

  private func silence(_ frames: UInt32) {
    for port in playerPorts {
      jack_port_get_buffer(port, frames)!.assumingMemoryBound(to: Float.self)
        .initialize(repeating: 0, count: Int(frames))
    }
  }

  private func hear(_ frames: UInt32) {
    let start = jack_last_frame_time(hearer)
    let samples = UnsafeBufferPointer(
      start: jack_port_get_buffer(hearerPort, frames)!.assumingMemoryBound(to: Float.self),
      count: Int(frames))
    lock.lock()
    latestBlock = (start, Array(samples))
    heardCount += samples.count
    if isRecording {
      if recording.isEmpty { recordingStart = start } else if start != nextFrame { gapCount += 1 }
      recording += samples
      nextFrame = start &+ frames
    }
    let listener = listener
    lock.unlock()
    listener?(start, samples)
  }

  // MARK: - For the test

  /// Calls `listener` with each block from now on.
  func listen(_ listener: Probe.Listener?) { lock.withLock { self.listener = listener } }

  /// Starts recording.
  func beginRecording() {
    lock.withLock {
      recording = []
      recording.reserveCapacity(48_000 * 20)
      gapCount = 0
      isRecording = true
    }
  }

  /// The number of frames received since the client was opened.
  var heardFrames: Int { lock.withLock { heardCount } }

  /// Stops recording, and returns it.
  func endRecording() -> Probe.Recording {
    lock.withLock {
      isRecording = false
      return (recordingStart, recording, gapCount)
    }
  }

  /// The last received block; empty if none was since `forgetLatest`.
  var latest: (start: UInt32, samples: [Float]) { lock.withLock { latestBlock } }

  /// Discards the last received block.
  func forgetLatest() { lock.withLock { latestBlock = (0, []) } }
}
