internal import DSP
internal import Engine
internal import Music
internal import OSC

/// A feature that announces state changes on the speech port, and replies to spoken queries.
final class Speech: Feature {
  // The poll interval while it is on, in milliseconds.
  private static let milliseconds = 20
  // A backlog longer than this, in seconds, is interrupted.
  private static let longestBacklog = 2.0
  // The interval of tuner announcements, in microseconds.
  private static let tunerPeriod = 1_500_000.0
  private static let keys = [
    "C", "C sharp", "D", "E flat", "E", "F", "F sharp", "G", "A flat", "A", "B flat", "B",
  ]
  private static let port = "speech_1"

  private let context: Context
  private let worker = Worker("speech", isAwaited: false)
  /// Whether changes are announced.
  private(set) var isOn = false
  fileprivate var wordsPerMinute = 200
  fileprivate var gain: Float = 0
  /// Whether the tuner is announced.
  fileprivate var tellsTuner = false {
    didSet { if !tellsTuner { lastTuning = "" } }
  }

  private var queue = SpeechQueue()
  private var lastSubjects: [SpeechQueue.Subject] = []
  private var isFaultReported = false
  // The last request whose phrase is still in the queue.
  private var asking: Request?
  private var nextTuning = 0.0
  private var lastTuning = ""

  // The state that was announced last; nil while speech is off.
  private struct Told {
    var loops: SpokenLoops
    var scene: String
    var isCapturing: Bool
    var isRecordingSession: Bool
    var isServerRunning: Bool
    var rate: Int
  }
  private var told: Told?

  init(_ context: Context) {
    self.context = context
    context.replySender.whenUnheard = { [unowned self] refusal in tellFault(refusal.message) }
  }

  var workers: [Worker] { [worker] }

  func poll(_ now: Double) -> Int? {
    guard isOn || tellsTuner else {
      told = nil
      return nil
    }
    if isOn { followStates() }
    if tellsTuner, now >= nextTuning {
      nextTuning = now + Self.tunerPeriod
      tellTuner()
    }
    if ring.waiting > 0, !isHeard { ring.stop() }
    return Self.milliseconds
  }

  func beginSession() { forget() }

  // MARK: - Changes

  private var readings: [PublishedLoop.Reading] { (0..<context.loopCount).map(context.loop) }

  private func followStates() {
    let status = context.soundServer.status
    guard var told else {
      told = Told(
        loops: SpokenLoops(readings, selected: context[Loops.self].selected),
        scene: context[Scenes.self].current, isCapturing: context[Captures.self].account.isOn,
        isRecordingSession: context[Sessions.self].isOn, isServerRunning: status.isRunning,
        rate: context.sampleRate)
      return
    }
    defer { self.told = told }
    if context.sampleRate != told.rate {
      // The samples in the ring have the former rate.
      told.rate = context.sampleRate
      ring.stop()
    }
    // The port is connected again some time after the server's return.
    if status.isRunning != told.isServerRunning, !status.isRunning || isHeard {
      told.isServerRunning = status.isRunning
      if status.isRunning { tell("sound server is back", about: .server) }
    }
    let loops = told.loops.changes(
      readings, selected: context[Loops.self].selected, rate: context.sampleRate)
    if !loops.isEmpty { tell(loops.joined(separator: ". "), about: .loops) }
    let scene = context[Scenes.self].current
    if scene != told.scene {
      told.scene = scene
      if !scene.isEmpty { tell("scene \(scene)", about: .scene) }
    }
    let capture = context[Captures.self].account
    if capture.isOn != told.isCapturing {
      told.isCapturing = capture.isOn
      tell(
        capture.isOn ? "capture on" : "capture off, \(seconds(capture.seconds))", about: .take)
    }
    let isRecording = context[Sessions.self].isOn
    if isRecording != told.isRecordingSession {
      told.isRecordingSession = isRecording
      tell(isRecording ? "session on" : "session off", about: .take)
    }
  }

  /// Announces a saved take.
  func tellTake(_ length: Double) { tell("take saved, \(seconds(length))", about: .take) }

  /// Announces a warning, or an error that no client caused.
  func tellFault(_ message: String) { tell(message, about: .fault) }

  private func tell(_ text: String, about subject: SpeechQueue.Subject) {
    guard isOn, isHeard else { return }
    queue.add(text, about: subject)
    speak(for: nil)
  }

  private func seconds(_ seconds: Double) -> String {
    SpokenLoops.seconds(Int((seconds * 1000).rounded()), 1000)
  }

  // MARK: - Tuner

  private func tellTuner() {
    let note = context[Tuner.self].asked()
    guard let note, isHeard else {
      lastTuning = ""
      return
    }
    let key = Self.keys[note.key % 12]
    let cents = Int(note.cents.rounded())
    let deviation =
      abs(cents) <= 2 ? "in tune" : cents < 0 ? "\(-cents) flat" : "\(cents) sharp"
    let text = "\(key) \(deviation)"
    // A note in tune is announced once.
    if text == lastTuning, abs(cents) <= 2 { return }
    lastTuning = text
    queue.add(text, about: .tuner)
    speak(for: nil)
  }

  // MARK: - Queries

  fileprivate func answer(_ text: String, _ request: Request) throws(Refusal) {
    guard isHeard else {
      throw Refusal(
        .state,
        context.soundServer.status.isRunning
          ? "nothing is connected to \(Self.port); connect it to headphones"
          : "no sound server is running")
    }
    queue.add(text, about: .answer)
    speak(for: request)
  }

  fileprivate var selectedLoop: String {
    let index = context[Loops.self].selected
    return SpokenLoops.description(of: index, context.loop(index), rate: context.sampleRate)
  }

  fileprivate var allLoops: String {
    let all = readings.enumerated().filter { $1.activity != .empty }.map {
      SpokenLoops.description(of: $0, $1, rate: context.sampleRate)
    }
    return all.isEmpty ? "all loops empty" : all.joined(separator: ". ")
  }

  fileprivate var scene: String {
    let scenes = context[Scenes.self]
    return scenes.current.isEmpty ? "no scene" : "scene \(scenes.current)"
  }

  fileprivate var take: String {
    let account = context[Captures.self].account
    var parts = [
      account.isOn ? "capture on, \(seconds(account.seconds))" : "capture off"
    ]
    if context[Sessions.self].isOn { parts.append("session on") }
    return parts.joined(separator: ". ")
  }

  fileprivate var status: String {
    let status = context.soundServer.status
    let tempo = (Double(context.shared.tempoReading.beatsPerMinute) * 10).rounded() / 10
    let tempoText = tempo == tempo.rounded() ? "\(Int(tempo))" : "\(tempo)"
    return "tempo \(tempoText). load \(Int(status.load.rounded())) percent. "
      + "\(status.xruns) \(status.xruns == 1 ? "dropout" : "dropouts")"
  }

  // MARK: - Speaking

  private var ring: SpeechRing { context.shared.speech }

  /// Whether something is connected to the port.
  private var isHeard: Bool {
    context.soundServer.ports.contains { $0.name == Self.port && !$0.connections.isEmpty }
  }

  /// Discards the phrases that wait to be spoken.
  private func forget() {
    queue.clear()
    asking = nil
  }

  private func speak(for request: Request?) {
    asking = request ?? asking
    guard worker.count == 0, let (text, subjects) = queue.next() else { return }
    let request = asking
    asking = nil
    let (words, rate) = (wordsPerMinute, context.sampleRate)
    worker.run { () throws(Refusal) in
      try SpeechSynthesizer.phrase(text, wordsPerMinute: words, rate: rate)
    } then: { [weak self] outcome in
      guard let self else { return }
      switch outcome {
      case .success(let phrase):
        isFaultReported = false
        if rate == context.sampleRate { play(phrase, subjects, request) }
      case .failure(let refusal): report(refusal, request)
      }
      speak(for: nil)
    }
  }

  private func play(
    _ phrase: [Float], _ subjects: [SpeechQueue.Subject], _ request: Request?
  ) {
    let factor = Level.gain(decibels: gain)
    let backlog = Double(ring.waiting) / Double(max(1, context.sampleRate))
    let isNewer = subjects.contains { lastSubjects.contains($0) || $0 == .answer }
    let samples = phrase.map { $0 * factor }
    let interrupts = isNewer || backlog > Self.longestBacklog
    lastSubjects = subjects
    if ring.say(samples, interrupting: interrupts) { return }
    // A waiting phrase can be interrupted, but needs its memory until it has faded out.
    if interrupts || !ring.say(samples, interrupting: true) {
      let longest = Double(SpeechRing.capacity) / Double(max(1, context.sampleRate))
      report(
        Refusal(.state, "the phrase is longer than the \(seconds(longest)) that can wait"), request)
    }
  }

  private func report(_ refusal: Refusal, _ request: Request?) {
    if let request { return request.refuse(refusal) }
    guard !isFaultReported else { return }
    isFaultReported = true
    context.report(refusal, of: "/speak/on")
  }

  fileprivate func turn(_ request: Request) {
    isOn = request.whole(0) == 1
    told = nil
    if !isOn {
      forget()
      ring.stop()
      return
    }
    followStates()
    // Reports to the sender whether speech works.
    guard !request.isRestoring else { return }
    queue.add("speech on", about: .answer)
    speak(for: request)
  }
}

extension Speech {
  private typealias Declared = Declaring<Speech>
  private static let longestText = 300

  private static func question(
    _ path: String, _ answer: @escaping @Sendable (Speech) -> String, _ help: String
  ) -> Address {
    Address(
      path,
      Declared.action(isButton: true) { speech, request throws(Refusal) in
        try speech.answer(answer(speech), request)
      }, help)
  }

  static let addresses: [Address] = [
    Address(
      "/speak/on",
      Declared.setting([.whole(in: 0...1)], \.isOn) { $0.turn($1) }, kept: .home,
      "1 announces changes of loops, scenes, captures, sessions and the sound server, and errors, on the port "
        + "speech_1 only; needs espeak-ng"),
    Address(
      "/speak/speed",
      Declared.setting([.whole(in: SpeechSynthesizer.speeds)], \.wordsPerMinute) {
        $0.wordsPerMinute = $1.whole(0) ?? 200
      }, unit: "words/min", kept: .home, "Speech rate"),
    Address(
      "/speak/gain",
      Declared.setting([.number(in: -60...12)], \.gain) { $0.gain = Float($1.number(0) ?? 0) },
      unit: "dB", kept: .home, "Speech level; applies from the next phrase"),
    Address(
      "/speak/tuner", Declared.flag(\.tellsTuner),
      "1 announces the note of the live input and its deviation in cents, every 1.5 s"),
    question(
      "/speak/loop", \.selectedLoop,
      "Speaks the selected loop: number, state, length, overdubs, and queued state"),
    question(
      "/speak/loops", \.allLoops,
      "Speaks all loops that are not empty"),
    question(
      "/speak/scene", \.scene,
      "Speaks the current scene"),
    question(
      "/speak/take", \.take,
      "Speaks whether a capture or a session is being recorded, and the length of the capture"),
    question(
      "/speak/status", \.status,
      "Speaks the tempo, the DSP load, and the number of dropouts"),
    Address(
      "/speak/say",
      Declared.action([.needed("text", .text)]) { speech, request throws(Refusal) in
        let text = request.text(0) ?? ""
        guard text.count <= longestText else {
          throw Refusal(
            .range, "takes a text of up to \(longestText) characters; got \(text.count)")
        }
        try speech.answer(text, request)
      }, "Speaks a text of up to \(longestText) characters"),
  ]
}
