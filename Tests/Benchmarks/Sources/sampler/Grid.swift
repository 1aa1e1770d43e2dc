internal import DSP
internal import Engine
internal import InstrumentFiles

/// The node's grid, in the complete engine.
final class Grid: Synth {
  let name = "syrinx"
  private let engine = Engine(sampleRate: 48_000)
  private let renderer: Renderer
  private var instruments: [SamplerInstrument] = []
  private var frame: UInt32 = 0
  // Reused, so that only the note's allocations are counted, not its message's.
  private var batch = [Command(.sync(0))]
  private let spare = UnsafeMutablePointer<Float>.allocate(capacity: 9 * 4096)

  init() {
    spare.initialize(repeating: 0, count: 7 * 4096)
    renderer = engine.takeOver(sampleRate: 48_000)
    tell(.set(.mixer(.gridRoute), 1))
    _ = play(48_000)
  }

  deinit { spare.deallocate() }

  func load(_ font: String, bank: Int, program: Int) throws {
    let file = try SoundFont(font)
    let instrument = try file.instrument(file.program(bank: bank, number: program))
    let reading = try InstrumentReading(instrument, InstrumentTicket(patience: .infinity))
    _ = try reading.begin()
    instruments.append(reading.instrument)
    tell(.instrument(instruments.last!.pointer))
    _ = play(64)
  }

  func begin(key: Int, velocity: Int) {
    tell(
      .note(
        .on(
          NoteStart(
            finger: .key(UInt8(key)), key: UInt8(key), cents: Float(key) * 100,
            velocity: Float(velocity) / 127))))
  }

  func silence() {
    tell(.note(.allOff))
    // Until the last release has ended.
    _ = play(480_000)
  }

  func render(_ frames: Int, left: UnsafeMutablePointer<Float>, right: UnsafeMutablePointer<Float>)
  {
    func stereo(_ place: Int) -> Stereo {
      Stereo(spare + place * 4096, spare + (place + 1) * 4096)
    }
    let ports = Ports(
      input: stereo(0), output: Stereo(left, right), live: stereo(2),
      harmony: stereo(6), grid: stereo(4), click: spare + 8 * 4096)
    let cycle = Cycle(
      frame: frame, microseconds: Double(frame) / 48_000 * 1e6, isFreewheeling: false)
    precondition(renderer.render(cycle, frames: frames, ports: ports))
    frame &+= UInt32(frames)
    while engine.shared.nextEvent() != nil { engine.shared.commands.returnCredits(1) }
  }

  private func tell(_ action: Command.Action) {
    batch[0] = Command(action)
    precondition(engine.shared.commands.submit(batch) != nil)
  }

  var voices: Int { engine.shared.voiceCount }
}
