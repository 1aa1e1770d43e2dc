internal import Control
internal import DSP
internal import Drivers
internal import Engine
internal import Glibc
internal import Posix
internal import SoundFiles

/// A renderer of one sound file into another.
final class Rendering {
  private let options: RenderOptions
  private let file: RenderFile
  // Set for pipes only.
  private let inputPipe: RenderPipe?
  private let outputPipe: RenderPipe?
  private let signals: SystemSignals
  private let rate: Int
  private let isFine: Bool
  private let node: RenderNode
  private let input: RenderInput
  // The playback rate at the start; 1 is the original.
  private let speed: Double

  /// Opens a file, to be played from the start at a rate; 1 is the original.
  init(_ file: RenderFile, _ options: RenderOptions, speed: Double) throws(Failure) {
    self.file = file
    self.options = options
    self.speed = speed
    signals = try .forTheEnd()
    inputPipe = file.input == RenderOptions.pipe ? try RenderPipe(named: "in") : nil
    try inputPipe?.readInput()
    guard file.output != RenderOptions.pipe || isatty(1) != 1 else {
      throw Failure(.usage, "standard output is a terminal; redirect it to a pipe or a file")
    }
    outputPipe = file.output == RenderOptions.pipe ? try RenderPipe(named: "out.wav") : nil
    let reader: SoundReader
    do throws(SoundFileError) {
      reader = try SoundReader(inputPipe?.path ?? file.input) { options.rate(forFile: $0) }
    } catch {
      let failure = error.failure
      guard let path = inputPipe?.path else { throw failure }
      // The temporary file of a pipe is named after the pipe.
      throw Failure(failure.code, failure.message.replacing(path, with: file.inputName))
    }
    rate = reader.rate
    isFine = reader.isFine
    node = try RenderNode(options, rate: rate)
    input = RenderInput(
      reader, by: node.driver, isLive: options.isLive, isTuned: node.usesTune)
  }

  /// Renders the file.
  func run(_ progress: inout ProgressBar) throws(Failure) {
    let outcome = Result { () throws(SoundFileError) in try play(&progress) }
    progress.clear()
    switch try Failure.of(outcome.get) {
    case .failed(let failure): throw failure
    case .interrupted(let signal):
      Environment.say(
        "interrupted; \(file.outputName) "
          + (outputPipe == nil ? "is unchanged" : "got nothing"))
      // The signal handler leaves no time for cleanup by deinit.
      inputPipe?.remove()
      outputPipe?.remove()
      SystemSignals.end(by: signal)
    case .done(let tail):
      try outputPipe?.writeOutput()
      sayWhatHappened(end: input.framesRead + tail)
    }
  }

  private enum Outcome {
    /// The whole file, with this many frames of tail after the end of IN.
    case done(tail: Int)
    case interrupted(by: Int32)
    case failed(Failure)
  }

  /// Renders the whole file, or up to a signal.
  private func play(_ progress: inout ProgressBar) throws(SoundFileError) -> Outcome {
    var ending = Ending(options.tail, rate: rate)
    var writer = try SoundWriter(
      outputPipe?.path ?? file.output, rate: rate, isFine: isFine, expectedFrames: framesExpected)
    sayWhatDiffers(fileRate: writer.fileRate)
    var written = 0
    // The latency of IN in engine frames. It is known after a block of one frame, in which nothing
    // that is due at a time has been set yet.
    var delay = 0
    while input.end.map({ written < $0 || !ending.isDone }) ?? true {
      if let signal = signals.next() { return .interrupted(by: signal) }
      do throws(Failure) { try node.setDue(at: input.place) } catch { return .failed(error) }
      let start = node.driver.frames
      let count = try input.render(
        atMost: start == 0 ? 1 : RenderDriver.longestBlock, until: node.nextCue)
      node.tick()
      if start == 0 { delay = node.delay }
      let early = min(max(delay - start, 0), count)
      let sound = node.driver.output.advanced(by: early)
      let own = min(count - early, (input.end ?? .max) - written)
      try writer.write(sound, frames: own)
      written += own
      if own < count - early && !ending.isDone {
        let rest = count - early - own
        try ending.write(sound.advanced(by: own), frames: rest, to: &writer)
      }
      progress.show(seconds(input.place), of: input.expectedFrames.map(seconds))
    }
    let tail = ending.framesWritten
    try writer.finish()
    return .done(tail: tail)
  }

  private func seconds(_ frames: Int) -> Double { Double(frames) / Double(rate) }

  /// The expected length of OUT, in frames, if known.
  private var framesExpected: Int? {
    guard let frames = input.expectedFrames else { return nil }
    let played = options.isLive ? frames : Int(Double(frames) / speed)
    guard case .seconds(let seconds) = options.tail else { return played }
    return played + Int(seconds * Double(rate))
  }

  private func sayWhatDiffers(fileRate: Int) {
    let (channels, inputRate, _, _) = input.file
    if channels > 2 {
      Environment.say("\(file.inputName) has \(channels) channels; only the first two are used")
    }
    if inputRate != rate && options.rate == nil {
      Environment.say("\(inputRate) Hz is not supported; converted to \(rate) Hz")
    }
    if fileRate != rate {
      Environment.say(
        "\(file.outputName) has \(fileRate) Hz, since its format does not support \(rate) Hz")
    }
  }

  private func sayWhatHappened(end: Int) {
    let (_, inputRate, framesRead, isCutOff) = input.file
    if framesRead == 0 { Environment.say("\(file.inputName) contains no sound") }
    if isCutOff {
      let seconds = Double(framesRead) / Double(inputRate)
      Environment.say(
        "\(file.inputName) is truncated: it has only the first "
          + "\(plain((seconds * 1000).rounded() / 1000)) s")
    }
    for setting in options.settings {
      guard let time = setting.seconds, time >= seconds(end) else { continue }
      Environment.say(
        "\(setting.assignment)@\(plain(time)) was never reached; the sound ended before")
    }
    let nonFinite = input.nonFiniteCount + Int(node.engine.shared.nonFiniteCount)
    if nonFinite > 0 {
      Environment.say("\(nonFinite) samples were NaN or infinite, and were silenced")
    }
    let reduction = node.engine.shared.meters.collect(.limiter)
    let decibels = Double(20 * log10(max(reduction, 1)) * 10).rounded() / 10
    if decibels > 0 {
      Environment.say("the limiter reduced the gain by up to \(plain(decibels)) dB")
    }
  }
}

/// A simulated sound server for rendering: always running, without xruns.
struct RenderClock: SoundServer {
  let rate: Int
  let block: Int

  // A file has no connections.
  var ports: [SoundPort] { [] }

  var status: SoundServerStatus {
    var status = SoundServerStatus()
    status.isRunning = true
    status.rate = rate
    status.block = block
    return status
  }

  // There are no other clients to lead.
  func leadTransport(_ leads: Bool) {}
}
