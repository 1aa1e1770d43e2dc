internal import DSP
package import Engine

/// An offline host that renders an engine as a sound server would.
package final class OfflineHost {
  /// The engine being rendered.
  package let engine: Engine
  /// The first frame of the next block.
  package private(set) var frame: UInt32 = 0

  // The time of frame 0, in microseconds.
  private let origin: Double
  // The number of frames by which the server's counter has jumped back, while time went on.
  private var steppedBack: UInt32 = 0

  /// The server's transport at a frame; stopped if nil.
  package var transport: ((Int64) -> Transport)?

  /// The ports that are connected; the output of others is undefined.
  package var use = PortUse.all

  /// The incoming MIDI messages, each on a frame of the host's own count, in order.
  package var midi: [(frame: UInt32, bytes: [UInt8])] = []

  private let buffers = Buffers()
  private lazy var received = MIDIBlock(in: buffers)
  private lazy var clock = MIDIBlock(in: buffers)
  private lazy var sent = MIDIBlock(in: buffers)
  private let sampleRate: Double
  private let renderer: Renderer

  /// An endless tone of 375 Hz at key 60.
  private static let tone: SamplerInstrument = {
    var region = SamplerRegion()
    region.end = 12_800
    region.loopMode = .continuous
    region.loop = (0, 12_800)
    return SamplerInstrument(
      regions: [region], modulators: [], sounds: [[Tone.sine(375, frames: 12_800)]])
  }()

  /// Creates an engine that has already faded in, unless `fadesIn`.
  ///
  /// If it is playable, notes play an endless tone.
  package init(
    sampleRate: Double = 48_000, fadesIn: Bool = false, start: DriverStart = .fadingIn,
    isPlayable: Bool = false,
    loops: LoopSetup = LoopSetup(count: 4, seconds: 10, keptSeconds: 12)
  ) {
    self.sampleRate = sampleRate
    origin = 0
    engine = Engine(sampleRate: sampleRate, loops: loops)
    renderer = engine.takeOver(sampleRate: sampleRate, start)
    // Smoothed gains reach their targets at once for silent sources; the fade-in doesn't.
    if !fadesIn {
      // Most tests press between two beats, and mean the next one.
      send(Command(.set(.beat(.lateness), 0)))
      _ = render(Tone.constant(0, frames: 8192), block: 64)
      _ = events()
    }
    if isPlayable {
      send(Command(.instrument(Self.tone.pointer)))
      _ = render(Tone.constant(0, frames: 64), block: 64)
      _ = events()
    }
  }

  /// Takes over an engine that has already processed blocks, which doesn't fade in.
  package convenience init(takingOver engine: Engine, sampleRate: Double) {
    self.init(takingOver: engine, sampleRate: sampleRate, origin: 0)
    _ = render(Tone.constant(0, frames: 64), block: 64)
  }

  /// Takes over the engine of another host, some seconds after its last block.
  package convenience init(
    takingOver former: OfflineHost, sampleRate: Double, after seconds: Double
  ) {
    self.init(
      takingOver: former.engine, sampleRate: sampleRate, origin: former.microseconds + seconds * 1e6
    )
  }

  private init(takingOver engine: Engine, sampleRate: Double, origin: Double) {
    self.sampleRate = sampleRate
    self.origin = origin
    self.engine = engine
    renderer = engine.takeOver(sampleRate: sampleRate, .atFullLevel)
  }

  // The time of the next block.
  private var microseconds: Double {
    origin + (Double(frame) + Double(steppedBack)) / sampleRate * 1e6
  }

  /// The output of an engine: the audio ports and MIDI.
  package struct Output {
    /// The mix.
    package var left: [Float] = [], right: [Float] = []
    /// The live stem.
    package var live: [Float] = []
    /// The stem of the harmonies.
    package var harmony: (left: [Float], right: [Float]) = ([], [])
    /// The stems of the loops.
    package var loops: [[Float]] = []
    /// The stem of the first loop.
    package var loop: [Float] { loops[0] }
    /// The metronome's click.
    package var click: [Float] = []
    /// The outgoing MIDI messages, each with its frame from the start of the output.
    package var midi: [MIDIMessage] = []

    /// Creates an empty output.
    package init() {}
  }

  /// A MIDI message and its frame.
  package struct MIDIMessage: Equatable {
    /// The frame of the message.
    package var frame: Int
    /// The bytes of the message.
    package var bytes: [UInt8]

    /// Creates a message on a frame.
    package init(_ frame: Int, _ bytes: [UInt8]) {
      self.frame = frame
      self.bytes = bytes
    }
  }

  /// Loses frames before the next block, as in an xrun.
  package func lose(frames: UInt32) { frame += frames }

  /// Makes the server's frame counter jump back before the next block.
  package func stepBack(frames: UInt32) {
    frame -= frames
    steppedBack += frames
  }

  private func receive(frames: Int) {
    received.clear()
    clock.clear()
    while let (at, bytes) = midi.first, at < frame + UInt32(frames) {
      midi.removeFirst()
      let event = MIDIEvent(
        frame: at - frame, status: bytes[0], first: bytes.count > 1 ? bytes[1] : 0,
        second: bytes.count > 2 ? bytes[2] : 0)
      _ = event.isClock ? clock.append(event) : received.append(event)
    }
  }

  /// Renders the input in blocks, the same on both sides unless a right one is given.
  package func render(
    _ left: [Float], right: [Float]? = nil, block: Int, isFreewheeling: Bool = false
  ) -> Output {
    var output = Output()
    let loops = engine.shared.loops.count
    output.loops = Array(repeating: [], count: loops)
    let buffers = (0..<11 + 2 * loops).map { _ in
      UnsafeMutableBufferPointer<Float>.allocate(capacity: block)
    }
    defer { for buffer in buffers { buffer.deallocate() } }
    func stereo(_ index: Int) -> Stereo {
      Stereo(buffers[index].baseAddress!, buffers[index + 1].baseAddress!)
    }
    let stems = UnsafeMutablePointer<Stereo>.allocate(capacity: loops)
    defer { stems.deallocate() }
    for index in 0..<loops { (stems + index).initialize(to: stereo(11 + 2 * index)) }
    var start = 0
    while start < left.count {
      let frames = min(block, left.count - start)
      for index in 0..<frames {
        buffers[0][index] = left[start + index]
        buffers[1][index] = (right ?? left)[start + index]
      }
      // Samples that the engine does not write must be detectable.
      for buffer in buffers[2...] { buffer.initialize(repeating: .nan) }
      let ports = Ports(
        input: stereo(0), output: stereo(2), live: stereo(4), harmony: stereo(9), grid: stereo(6),
        click: buffers[8].baseAddress!, loops: stems, midiIn: received,
        clockIn: clock, midiOut: use.has(.midiOut) ? sent : nil, use: use)
      receive(frames: frames)
      let cycle = Cycle(
        frame: frame, microseconds: microseconds,
        isFreewheeling: isFreewheeling, transport: transport?(Int64(frame)) ?? Transport())
      precondition(renderer.render(cycle, frames: frames, ports: ports))
      output.left += UnsafeBufferPointer(start: buffers[2].baseAddress, count: frames)
      output.right += UnsafeBufferPointer(start: buffers[3].baseAddress, count: frames)
      output.live += UnsafeBufferPointer(start: buffers[4].baseAddress, count: frames)
      output.harmony.left += UnsafeBufferPointer(start: buffers[9].baseAddress, count: frames)
      output.harmony.right += UnsafeBufferPointer(start: buffers[10].baseAddress, count: frames)
      for index in 0..<loops {
        output.loops[index] += UnsafeBufferPointer(
          start: buffers[11 + 2 * index].baseAddress, count: frames)
      }
      output.click += UnsafeBufferPointer(start: buffers[8].baseAddress, count: frames)
      for index in 0..<sent.count {
        let event = sent[index]
        let bytes = [event.status, event.first, event.second]
        output.midi.append(
          MIDIMessage(start + Int(event.frame), Array(bytes[..<event.byteCount])))
      }
      for buffer in buffers[2...] where use.bits == .max {
        precondition(Self.isWritten(buffer.baseAddress!, frames))
      }
      start += frames
      frame &+= UInt32(frames)
    }
    return output
  }

  // Not with Sequence methods, which allocate for each sample without the optimizer.
  private static func isWritten(_ samples: UnsafePointer<Float>, _ frames: Int) -> Bool {
    var sum: Float = 0
    for frame in 0..<frames { sum += samples[frame] * 0 }
    // Infinities would also sum to NaN, although the engine wrote them.
    return !sum.isNaN || (0..<frames).allSatisfy { !samples[$0].isNaN }
  }

  /// Sends commands as one batch, and returns the number of the first.
  @discardableResult
  package func send(_ commands: Command...) -> UInt64? {
    engine.shared.commands.submit(commands)
  }

  /// Takes all events, as the control side would.
  package func events() -> [Event] {
    var events: [Event] = []
    while let event = engine.shared.nextEvent() { events.append(event) }
    engine.shared.commands.returnCredits(events.count)
    return events
  }
}
