internal import Control
internal import DSP
internal import Drivers
internal import Engine
internal import Glibc
internal import OSC
internal import Posix
internal import Takes

/// One render: a file, the node, and the file that becomes of it.
final class Rendering {
  private let options: RenderOptions
  private let signals: SystemSignals
  private var reader: SoundReader
  private let engine: Engine
  private let driver: RenderDriver
  private let node: Node

  init(_ options: RenderOptions) throws(Failure) {
    self.options = options
    do throws(SystemError) {
      signals = try SystemSignals([SIGINT, SIGTERM, SIGHUP])
    } catch {
      throw Failure(.fault, "\(error)")
    }
    // A limit of the file's size shall be an error like that of a full disk.
    signal(SIGXFSZ, SIG_IGN)
    do throws(SoundFileError) {
      _ = try SoundFormat(endingOf: options.output)
      reader = try SoundReader(options.input) { rate in
        options.rate
          ?? min(max(rate, RenderOptions.rates.lowerBound), RenderOptions.rates.upperBound)
      }
    } catch {
      throw Failure(error)
    }
    guard !Files.areSame(options.input, options.output) else {
      throw Failure(.usage, "\(options.output) is IN itself; OUT must be another file")
    }
    let engine = Engine(sampleRate: Double(reader.rate))
    self.engine = engine
    driver = RenderDriver(engine, rate: reader.rate)
    let clock = RenderClock(rate: reader.rate, block: RenderDriver.longestBlock)
    let presets = StoredFiles.presets(home: options.home)
    node = Node(name: "render", engine: engine, soundServer: clock, presets: presets) {
      engine.shared.clockReading.microseconds
    }
    if let preset = options.preset { try StoredFiles.load(preset, into: node) }
    do throws(Refusal) {
      for setting in options.settings {
        try node.set(setting.assignment, at: setting.seconds.map { $0 * 1e6 })
      }
    } catch {
      throw Failure(error.code == .missing ? .missingInput : .usage, "--set: \(error.message)")
    }
  }

  func run() throws(Failure) {
    var progress = ProgressBar()
    let interruption: Int32?
    do throws(SoundFileError) {
      interruption = try play(&progress)
      progress.clear()
    } catch {
      progress.clear()
      throw Failure(error)
    }
    if let interruption {
      Environment.say("ended before it was done; \(options.output) is as it was before")
      SystemSignals.end(by: interruption)
    }
    sayWhatHappened()
  }

  /// Renders it all; returns the signal that ended it before, where one did.
  private func play(_ progress: inout ProgressBar) throws(SoundFileError) -> Int32? {
    var ending = Ending(options.tail, rate: reader.rate)
    var writer = try SoundWriter(
      options.output, rate: reader.rate, isFine: reader.isFine, expectedFrames: framesExpected)
    sayWhatDiffers(fileRate: writer.fileRate)
    var (taken, written) = (0, 0)
    // How many of the engine's frames come before the first one of IN: known after a block of one
    // frame, in which nothing is set yet that waits for its time.
    var delay = 0
    var isPlaying = true
    while isPlaying || written < taken || !ending.isDone {
      if let signal = signals.next() { return signal }
      let block = driver.frames == 0 ? 1 : RenderDriver.longestBlock
      let count = isPlaying ? try reader.read(into: driver.input, frames: block) : 0
      isPlaying = count == block
      taken += count
      driver.silenceInput(from: count)
      driver.render(frames: block)
      _ = node.tick()
      if driver.frames == block { delay = chainDelay }
      let early = min(max(delay - (driver.frames - block), 0), block)
      let sound = driver.output.advanced(by: early)
      let own = min(block - early, taken - written)
      try writer.write(sound, frames: own)
      written += own
      if own < block - early && !ending.isDone {
        let rest = block - early - own
        try ending.write(sound.advanced(by: own), frames: rest, to: &writer)
      }
      progress.show(seconds(driver.frames), of: framesExpected.map(seconds))
    }
    try writer.finish()
    return nil
  }

  /// By how many frames the sound of IN comes later, with the settings of the beginning.
  private var chainDelay: Int {
    let route = node.table["/live/route"].flatMap(node.argument(for:))
    return route == .string("chain") ? engine.shared.chainDelayFrames : 0
  }

  private func seconds(_ frames: Int) -> Double { Double(frames) / Double(reader.rate) }

  /// How long OUT will be, as far as that is known.
  private var framesExpected: Int? {
    guard let frames = reader.expectedFrames else { return nil }
    guard case .seconds(let seconds) = options.tail else { return frames }
    return frames + Int(seconds * Double(reader.rate))
  }

  private func sayWhatDiffers(fileRate: Int) {
    if reader.channels > 2 {
      Environment.say(
        "\(options.input) has \(reader.channels) channels; the first two are taken")
    }
    if reader.fileRate != reader.rate && options.rate == nil {
      Environment.say("\(reader.fileRate) Hz is not played; it is converted to \(reader.rate) Hz")
    }
    if fileRate != reader.rate {
      Environment.say(
        "\(options.output) gets \(fileRate) Hz, because its format has no \(reader.rate) Hz")
    }
  }

  private func sayWhatHappened() {
    if reader.framesRead == 0 { Environment.say("\(options.input) holds no sound") }
    if reader.isCutOff {
      let seconds = Double(reader.framesRead) / Double(reader.fileRate)
      Environment.say(
        "\(options.input) is cut off: it promises more than the "
          + "\(plain((seconds * 1000).rounded() / 1000)) s that are there")
    }
    for setting in options.settings {
      guard let time = setting.seconds, time >= seconds(driver.frames) else { continue }
      Environment.say(
        "\(setting.assignment)@\(plain(time)) was never reached; the sound ended before")
    }
    let nonFinite = engine.shared.nonFiniteCount
    if nonFinite > 0 {
      Environment.say("\(nonFinite) samples were no numbers, and became silence")
    }
    let reduction = engine.shared.meters.collect(.limiter)
    let decibels = Double(20 * log10(max(reduction, 1)) * 10).rounded() / 10
    if decibels > 0 {
      Environment.say("the limiter turned down by up to \(plain(decibels)) dB")
    }
  }
}

/// The sound server that the node sees while it renders: always there, and never late.
private struct RenderClock: SoundServer {
  let rate: Int
  let block: Int

  var status: SoundServerStatus {
    var status = SoundServerStatus()
    status.isRunning = true
    status.rate = rate
    status.block = block
    return status
  }

  // Nobody else is there to be led.
  func leadTransport(_ leads: Bool) {}
}

extension Failure {
  /// What a fault of a sound file ends the program with.
  init(_ error: SoundFileError) {
    let code: ExitCode =
      switch error.kind {
      case .missing: .missingInput
      case .notSound: .badInput
      case .unknownEnding: .usage
      case .cannotWrite: .cannotWrite
      }
    self.init(code, error.description)
  }
}
