import Control
import DSP
import Engine
import TestSupport
import Testing

/// The initial values of the table, compared with those of the engine by the output of a performance.
@Suite struct InitialValuesTests {
  /// The parameters enabled in the second half of the performance, so that others become audible.
  private static let turnedOn: [(Parameter, Float)] = [
    (.echo(.time), 0.02), (.warp(.semitones), 5), (.warp(.rate), 0.9), (.loop(.semitones), 3),
    (.beat(.tempo), 300),
  ]

  private static let own = perform([])
  private static let ownByFoot = perform([], byFoot: true)

  private static let initial: [(parameter: Parameter, value: Float)] =
    AddressTable.node.addresses.compactMap { address in
      guard let parameter = address.parameter, let value = address.initial else { return nil }
      // The other loops and harmony voices equal the first.
      switch parameter {
      case .loop(_, 1...), .harmony(_, 1...): return nil
      default: return (parameter, value)
      }
    }

  /// The entire output of an engine.
  private struct Heard: Equatable {
    var sound: [Float] = []
    var midi: [OfflineHost.MIDIMessage] = []
    var captures: [String] = []
  }

  /// Plays live input, loop, grid, song, keyboard and metronome twice: after some parameters were set, and
  /// then with effects enabled.
  ///
  /// Stops at the first difference from another performance.
  private static func perform(
    _ settings: [(parameter: Parameter, value: Float)], byFoot: Bool = false,
    like other: Heard? = nil
  ) -> Heard {
    var isOther = false
    let host = OfflineHost(isPlayable: true)
    var heard = Heard()
    let ring = CaptureRing(rate: 48_000)
    let song = SongRing(seconds: 4, sampleRate: 48_000)
    var sound = Tone.noise(amplitude: 0.1, frames: 120_000, seed: 7)
    sound.withUnsafeMutableBufferPointer {
      song.write(Stereo($0.baseAddress!, $0.baseAddress!), frames: $0.count)
    }
    // A scale of one key, a quarter tone off.
    let map = KeyMap(
      snapped: Array(repeating: 6050, count: KeyMap.keys),
      own: (0..<KeyMap.keys).map { Float($0) * 100 })
    func send(_ action: Command.Action) {
      if isOther { return }
      host.send(Command(action))
      _ = host.events()
    }
    func play(_ frames: Int, loudness: Float = 0.3, seed: UInt64) {
      play(Tone.noise(amplitude: loudness, frames: frames, seed: seed))
    }
    func play(_ input: [Float]) {
      if isOther { return }
      let output = host.render(input, block: 64)
      let former = heard.sound.count
      let start = former / 5
      for port in [output.left, output.right, output.live, output.loop, output.click] {
        heard.sound += port
      }
      heard.midi += output.midi.map { OfflineHost.MIDIMessage(start + $0.frame, $0.bytes) }
      if let other {
        isOther = Measure.firstDifference(heard.sound[former...], other.sound[former...]) != nil
      }
      _ = host.events()
    }
    func press(_ key: UInt8) {
      let frame = host.frame
      host.midi = [
        (frame + 100, [0x90, key, 100]), (frame + 1100, [0xE0, 0, 0x60]),
        (frame + 2900, [0xE0, 0, 0x40]), (frame + 3000, [0x80, key, 0]),
      ]
      send(
        .note(.on(NoteStart(finger: .cell(3), key: 50, cents: 5000, velocity: 0.5))))
    }
    func pass(with keys: [UInt8]) {
      // Recording starts between two beats, then plays, overdubs for more than a cycle, and ends.
      send(.loop(.record))
      press(keys[0])
      play(12_007, seed: 1)
      send(.note(.off(.cell(3))))
      send(.loop(.stop))
      play(1501, seed: 2)
      send(.loop(.play))
      play(3000, seed: 3)
      send(.loop(.overdub))
      play(14_000, seed: 4)
      send(.loop(.overdub))
      press(keys[1])
      play(8000, loudness: 0, seed: 5)
      send(.note(.off(.cell(3))))
      send(.loop(.stop))
      play(1000, seed: 6)
      if !byFoot { return }
      // The pedal: what follows a recording, a long press, and a double press.
      send(.loop(.clear))
      tap()
      play(3000, seed: 9)
      tap()
      play(40_000, seed: 10)
      tap()
      play(3000, seed: 11)
      tap()
      play(20_000, seed: 12)
      send(.loop(.redo))
      for frames in [20_000, 18_000, 20_000, 18_000] {
        tap()
        play(frames, seed: 15)
      }
      send(.loop(.press))
      play(40_000, seed: 13)
      send(.loop(.release))
      play(2000, seed: 14)
      send(.loop(.stop))
    }
    func tap() {
      send(.loop(.press))
      send(.loop(.release))
    }
    for (parameter, value) in settings { send(.set(parameter, value)) }
    if byFoot {
      pass(with: [60, 64])
      return heard
    }
    send(.keyMap(map.pointer))
    send(.capture(ring.pointer))
    send(.playSong(song.pointer))
    // A follower of the transport has its tempo and bars.
    host.transport = { frame in
      Transport(
        isRolling: true, frame: frame, beatsPerMinute: 90, beatsPerBar: 3,
        beat: (Double(frame) / 32_000).truncatingRemainder(dividingBy: 3))
    }
    pass(with: [60, 64])
    heard.captures.append("\(ring.source) \(ring.isFine)")
    for parameter in [.metronome(.on), .echo(.on), .reverb(.on)] as [Parameter] {
      send(.set(parameter, 1))
    }
    play(26_000, seed: 8)
    // The gate closes in soft noise.
    for parameter in [.channel(.gateOn), .channel(.levelOn)] as [Parameter] {
      send(.set(parameter, 1))
    }
    play(4000, seed: 16)
    play(8000, loudness: 0.002, seed: 17)
    send(.set(.channel(.gateOn), 0))
    for (parameter, value) in turnedOn { send(.set(parameter, value)) }
    pass(with: [61, 65])
    // The formant shift needs formants, and the pitch correction a pitch.
    send(.set(.warp(.engine), 1))
    send(.set(.tune(.on), 1))
    let voice = (1...8).map {
      Tone.sine(150 * Double($0), amplitude: 0.3 / Float($0), frames: 36_000)
    }
    let sung = voice[0].indices.map { frame in voice.reduce(0) { $0 + $1[frame] } }
    play(sung)
    send(.set(.harmony(.on), 1))
    play(sung)
    withExtendedLifetime((ring, song, map)) {}
    return heard
  }

  @Test func `the initial values of the table are those of the engine`() {
    let (told, own) = (Self.perform(Self.initial), Self.own)
    // The output is too long to print.
    let place = Measure.firstDifference(told.sound, own.sound)
    #expect(place == nil)
    #expect(told.midi == own.midi && told.captures == own.captures)
  }

  /// The suppressor is audible only with feedback, sources of the beats with a clock, lateness with a late
  /// press, solo with another loop, following with another tempo, and the lock with what it refuses, which this
  /// performance lacks.
  ///
  /// Their own tests have them.
  private static let heardByItself = initial.map { $0.parameter }.filter {
    switch $0 {
    case .howlGuard, .beat(.source), .beat(.offset), .beat(.clockOffset), .beat(.lateness),
      .beat(.stopsLoops), .loop(.solo, _), .loop(.follow, _), .mixer(.lock), .mixer(.musicFollow),
      .mixer(.musicTempo), .notes(.phraseFollow):
      false
    default: true
    }
  }

  @Test(arguments: heardByItself)
  func `a value other than the initial one is audible`(of parameter: Parameter) throws {
    let address = try #require(AddressTable.node.address(of: parameter))
    let initial = try #require(address.initial)
    // Words are numbered from 0, and have no range.
    let words: Float? = address.types == "s" ? 2 : nil
    let (least, greatest) = words.map { (0, $0) } ?? address.range
    // A little more, too, since some of them end where nothing waits for their end.
    let others = [greatest, least, initial + (greatest - least) / 256].filter {
      $0 != initial && $0 <= greatest
    }
    // The effect of the pedal alone takes a while longer.
    let isHeard =
      switch parameter {
      case .loop(.after, _), .loop(.long, _), .loop(.double, _), .press:
        others.contains {
          Self.perform([(parameter, $0)], byFoot: true, like: Self.ownByFoot) != Self.ownByFoot
        }
      default: others.contains { Self.perform([(parameter, $0)], like: Self.own) != Self.own }
      }
    #expect(isHeard)
  }
}
