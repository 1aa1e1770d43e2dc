internal import Engine
internal import Glibc
internal import Music
internal import Posix
internal import SoundFiles

/// The folder of a session: one sound file per port, and the event log.
///
/// `session.txt` has one line per event, and a final one with the length once the session is complete.
/// `session.mid` has tempo, markers and MIDI for other programs, and `markers.csv` and `markers.lua` the markers.
struct SessionFolder: Sendable {
  /// The folder of all sessions in a data directory.
  static func all(home: String) -> String { home + "/sessions" }

  let path: String

  /// Returns an unused path for the folder of a session, named after its start.
  static func path(for date: ZonedDate, home: String) -> String {
    let digits = date.text.prefix(19).filter { $0 != ":" }.map { $0 == "T" ? "_" : $0 }
    let path = all(home: home) + "/" + String(digits)
    var (free, number) = (path, 1)
    while Files.exist(free) {
      number += 1
      free = "\(path)-\(number)"
    }
    return free
  }

  /// The file of a track.
  func file(of track: SessionTrack) -> String { "\(path)/\(Self.name(of: track)).wav" }

  var log: String { path + "/session.txt" }

  /// The name of the folder.
  var name: String { String(path.split(separator: "/").last ?? "") }

  /// Removes the folder with its files.
  func remove() {
    for name in Files.names(in: path) { Files.remove(path + "/" + name) }
    rmdir(path)
  }

  /// Writes the files for other programs.
  func complete(_ log: SessionLog) throws(SystemError) {
    try Files.write(log.midi(title: name), to: path + "/session.mid")
    try Files.write(log.table, to: path + "/markers.csv")
    try Files.write(log.ardourScript(title: name), to: path + "/markers.lua")
  }

  static func name(of track: SessionTrack) -> String {
    switch track {
    case .input: "in"
    case .output: "out"
    case .live: "live"
    case .harmony: "harmony"
    case .grid: "grid"
    case .click: "click"
    case .loop(let index): "loop\(index + 1)"
    }
  }
}

/// The event log of a session: beats, MIDI messages and markers, one per line.
struct SessionLog: Equatable, Sendable {
  var rate: Int
  /// The length in frames, once the session is complete.
  var frames: Int?
  var beats: [MIDIFile.Beat] = []
  var received: [MIDIFile.Message] = []
  var sent: [MIDIFile.Message] = []
  var markers: [Marker] = []

  /// A marker, named by the player, a scene or a loop.
  struct Marker: Equatable, Sendable {
    var frame: Int
    var name: String
  }

  init(rate: Int) { self.rate = rate }

  // MARK: - Lines

  /// The first line of a log.
  static func head(rate: Int, date: ZonedDate) -> String { "session \(rate) \(date.text)" }

  /// The last line of a log.
  static func end(frames: Int) -> String { "end \(frames)" }

  /// Returns the line of an event, or nil for a marker without a name.
  static func line(_ event: SessionEvent, marks: [Int: String]) -> String? {
    let bytes = [event.first, event.second, event.third]
    switch event.kind {
    case .received: return "\(event.frame) in \(text(of: bytes))"
    case .sent: return "\(event.frame) out \(text(of: bytes))"
    case .beat: return "\(event.frame) beat \(event.first) \(event.second)"
    case .still: return "\(event.frame) mark loop \(event.first + 1) stops"
    case .record: return "\(event.frame) mark loop \(event.first + 1) records"
    case .play: return "\(event.frame) mark loop \(event.first + 1) plays"
    case .overdub: return "\(event.frame) mark loop \(event.first + 1) is overdubbed"
    case .mark: return marks[event.number].map { "\(event.frame) mark \($0)" }
    }
  }

  private static func text(of bytes: [UInt8]) -> String {
    let count = MIDIEvent(frame: 0, status: bytes[0]).byteCount
    return bytes.prefix(count).map(String.init).joined(separator: " ")
  }

  /// Parses a log; nil if its first line is not a log's header.
  init?(_ text: String) {
    var lines = text.split(separator: "\n")[...]
    guard let head = lines.popFirst()?.split(separator: " "), head.count == 3,
      head[0] == "session", let rate = Int(head[1]), rate > 0
    else { return nil }
    self.init(rate: rate)
    // The last line of an interrupted log may be truncated.
    for line in lines { read(line) }
  }

  private mutating func read(_ line: Substring) {
    let words = line.split(separator: " ", maxSplits: 2)
    guard words.count >= 2 else { return }
    if words[0] == "end" {
      frames = Int(words[1])
      return
    }
    guard words.count == 3, let frame = Int(words[0]) else { return }
    switch words[1] {
    case "mark": markers.append(Marker(frame: frame, name: String(words[2])))
    case "beat":
      let numbers = words[2].split(separator: " ").compactMap { Int($0) }
      guard numbers.count == 2 else { return }
      beats.append(MIDIFile.Beat(frame: frame, number: numbers[0], beatsPerBar: numbers[1]))
    case "in", "out":
      let bytes = words[2].split(separator: " ").compactMap { UInt8($0) }
      guard !bytes.isEmpty else { return }
      let message = MIDIFile.Message(frame: frame, bytes: bytes)
      if words[1] == "in" { received.append(message) } else { sent.append(message) }
    default: return
    }
  }

  /// The log as text, without the end line.
  func text(date: ZonedDate) -> String {
    var lines: [(frame: Int, text: String)] = []
    lines += beats.map { ($0.frame, "beat \($0.number) \($0.beatsPerBar)") }
    lines += received.map { ($0.frame, "in \(Self.text(of: $0.bytes))") }
    lines += sent.map { ($0.frame, "out \(Self.text(of: $0.bytes))") }
    lines += markers.map { ($0.frame, "mark \($0.name)") }
    return lines.sorted { $0.frame < $1.frame }.reduce(
      into: Self.head(rate: rate, date: date) + "\n"
    ) { $0 += "\($1.frame) \($1.text)\n" }
  }

  /// Adds the events of another log from the frame `first` on, which becomes frame 0.
  mutating func add(_ other: SessionLog, from first: Int) {
    beats += other.beats.counted(from: first)
    received += other.received.counted(from: first)
    sent += other.sent.counted(from: first)
    markers += other.markers.counted(from: first)
  }

  // MARK: - For other programs

  /// Returns a log of the first frames only.
  func first(_ frames: Int) -> SessionLog {
    var log = self
    log.frames = frames
    log.beats.end(before: frames)
    log.received.end(before: frames)
    log.sent.end(before: frames)
    // A marker and the end can fall on the same block, which then has no frame of the session.
    log.markers.end(before: frames + 1)
    for index in log.markers.indices {
      log.markers[index].frame = min(log.markers[index].frame, max(0, frames - 1))
    }
    return log
  }

  /// The Standard MIDI File: tempo, markers, and the messages received and sent.
  func midi(title: String) -> [UInt8] {
    var file = MIDIFile(
      rate: rate, frames: frames ?? 0, beats: beats.sorted { $0.frame < $1.frame },
      markers: markers.map { ($0.frame, $0.name) }, title: title)
    file.add(received.sorted { $0.frame < $1.frame }, named: "midi_in")
    file.add(sent.sorted { $0.frame < $1.frame }, named: "midi_out")
    return file.bytes
  }

  /// The markers as a table in Reaper's format: number, name, and time in seconds.
  var table: String {
    var text = "#,Name,Start\n"
    for (index, marker) in markers.enumerated() {
      let name = marker.name.replacing("\"", with: "\"\"")
      let micros = Int((Double(marker.frame) / Double(rate) * 1e6).rounded())
      let digits = String(1_000_000 + micros % 1_000_000).dropFirst()
      text += "M\(index + 1),\"\(name)\",\(micros / 1_000_000).\(digits)\n"
    }
    return text
  }

  /// The markers as cue points of a sound file.
  var cues: WaveCues { WaveCues(markers.map { .init($0.frame, $0.name) }) }

  /// The tempo of the first beat, or nil if it is unknown.
  var beat: WaveBeat? {
    guard beats.count > 1, let frames, beats[1].frame > beats[0].frame else { return nil }
    let tempo = 60 * Double(rate) / Double(beats[1].frame - beats[0].frame)
    return WaveBeat(
      round: Double(max(1, frames)), tempo: Float(tempo), beatsPerBar: beats[0].beatsPerBar)
  }
}

/// An event on a frame of a session.
private protocol FramedEvent { var frame: Int { get set } }

extension MIDIFile.Beat: FramedEvent {}
extension MIDIFile.Message: FramedEvent {}
extension SessionLog.Marker: FramedEvent {}

extension Array where Element: FramedEvent {
  /// The events from the frame `first` on, which becomes frame 0.
  fileprivate func counted(from first: Int) -> [Element] {
    compactMap { event in
      guard event.frame >= first else { return nil }
      var moved = event
      moved.frame -= first
      return moved
    }
  }

  /// Removes the events from a frame on.
  fileprivate mutating func end(before frame: Int) { removeAll { $0.frame >= frame } }
}
