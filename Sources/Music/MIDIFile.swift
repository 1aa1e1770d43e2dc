/// A Standard MIDI File of format 1: a tempo map made from beats, markers, and tracks of messages, all
/// positioned by audio frame.
///
/// Beats are quarter notes of `ticksPerBeat` ticks. The first tick is the first frame.
package struct MIDIFile {
  /// A beat.
  package struct Beat: Equatable, Sendable {
    /// The frame of the beat.
    package var frame: Int
    /// Its number in the bar, from 1, and the number of beats per bar.
    package var number: Int, beatsPerBar: Int

    /// Creates a beat.
    package init(frame: Int, number: Int, beatsPerBar: Int) {
      self.frame = frame
      self.number = number
      self.beatsPerBar = beatsPerBar
    }
  }

  /// A message at a frame.
  package struct Message: Equatable, Sendable {
    /// The frame of the message.
    package var frame: Int
    /// The bytes of the message, including its status.
    package var bytes: [UInt8]

    /// Creates a message.
    package init(frame: Int, bytes: [UInt8]) {
      self.frame = frame
      self.bytes = bytes
    }
  }

  /// The resolution.
  package static let ticksPerBeat = 960
  // The length of a beat in a file without beats.
  private static let usualSeconds = 0.5
  // Tempos have 24 bits, in microseconds per beat.
  private static let longestBeat = 0xFF_FFFF

  private let rate: Double
  private let frames: Int
  // The beats, with their ticks from the start. The first entry is the start of the audio, on a beat or not.
  private var anchors: [(frame: Int, tick: Int)] = []
  private var tempoTrack: [(tick: Int, bytes: [UInt8])] = []
  private var tracks: [[UInt8]] = []

  /// Creates a file for a number of frames at a sample rate in Hz, with markers.
  ///
  /// The beats must be in the order of their frames.
  package init(
    rate: Int, frames: Int, beats: [Beat], markers: [(frame: Int, name: String)], title: String
  ) {
    self.rate = Double(rate)
    self.frames = frames
    placeBeats(beats)
    addTempos()
    for marker in markers {
      tempoTrack.append((tick(of: marker.frame), Self.text(0x06, marker.name)))
    }
    tempoTrack.sort { $0.tick < $1.tick }
    tracks.append(Self.track(title, tempoTrack, end: tick(of: frames)))
  }

  /// Adds a track of messages, which must be in the order of their frames.
  ///
  /// Notes that are still held end with the audio.
  package mutating func add(_ messages: [Message], named name: String) {
    var held: Set<[UInt8]> = []
    var events: [(tick: Int, bytes: [UInt8])] = []
    for message in messages {
      guard let status = message.bytes.first, (0x80..<0xF0).contains(status) else { continue }
      events.append((tick(of: message.frame), message.bytes))
      guard message.bytes.count == 3 else { continue }
      let key = [status & 0x0F, message.bytes[1]]
      switch status & 0xF0 {
      case 0x90 where message.bytes[2] > 0: held.insert(key)
      case 0x80, 0x90: held.remove(key)
      default: break
      }
    }
    let end = tick(of: frames)
    for key in held.sorted(by: { ($0[0], $0[1]) < ($1[0], $1[1]) }) {
      events.append((end, [0x80 | key[0], key[1], 0]))
    }
    tracks.append(Self.track(name, events, end: end))
  }

  /// The bytes of the file.
  package var bytes: [UInt8] {
    let head =
      [0, 1] + Self.number(tracks.count, bytes: 2) + Self.number(Self.ticksPerBeat, bytes: 2)
    return tracks.reduce(Self.chunk("MThd", head)) { $0 + Self.chunk("MTrk", $1) }
  }

  /// The tick of a frame.
  package func tick(of frame: Int) -> Int {
    var (low, high) = (0, anchors.count - 1)
    while low < high {
      let middle = (low + high + 1) / 2
      if anchors[middle].frame <= frame { low = middle } else { high = middle - 1 }
    }
    let start = anchors[low]
    let length: (frames: Double, ticks: Double)
    if low + 1 < anchors.count {
      let next = anchors[low + 1]
      length = (Double(next.frame - start.frame), Double(next.tick - start.tick))
    } else if low > 0 {
      let former = anchors[low - 1]
      length = (Double(start.frame - former.frame), Double(start.tick - former.tick))
    } else {
      length = (Self.usualSeconds * rate, Double(Self.ticksPerBeat))
    }
    return start.tick + Int((Double(frame - start.frame) * length.ticks / length.frames).rounded())
  }

  // MARK: - The tempo map

  private mutating func placeBeats(_ beats: [Beat]) {
    var tick = 0
    // Audio before the first beat forms a bar of one beat.
    if beats.first?.frame != 0 {
      anchors.append((0, 0))
      tempoTrack.append((0, Self.meter(1)))
      tick = Self.ticksPerBeat
    }
    var index = 0
    while index < beats.count {
      let bar = index
      index += 1
      while index < beats.count, beats[index].number != 1 { index += 1 }
      // The last bar may be incomplete.
      let isLast = index == beats.count
      let left = beats[bar].beatsPerBar - beats[bar].number + 1
      tempoTrack.append((tick, Self.meter(isLast ? max(index - bar, left) : index - bar)))
      for beat in beats[bar..<index] {
        anchors.append((beat.frame, tick))
        tick += Self.ticksPerBeat
      }
    }
  }

  private mutating func addTempos() {
    // The time of the anchor by the rounded tempos. The next tempo corrects their error.
    var time = 0.0
    for (index, anchor) in anchors.enumerated() {
      let seconds: Double
      if index + 1 < anchors.count {
        seconds = Double(anchors[index + 1].frame) / rate - time
      } else if index > 0 {
        seconds = Double(anchor.frame - anchors[index - 1].frame) / rate
      } else {
        seconds = Self.usualSeconds
      }
      let tempo = max(1, min(Self.longestBeat, Int((seconds * 1e6).rounded())))
      time += Double(tempo) / 1e6
      tempoTrack.append((anchor.tick, [0xFF, 0x51, 3] + Self.number(tempo, bytes: 3)))
    }
  }

  // MARK: - Bytes

  private static func meter(_ beats: Int) -> [UInt8] {
    [0xFF, 0x58, 4, UInt8(clamping: beats), 2, 24, 8]
  }

  private static func text(_ kind: UInt8, _ text: String) -> [UInt8] {
    [0xFF, kind] + variable(text.utf8.count) + Array(text.utf8)
  }

  private static func track(
    _ name: String, _ events: [(tick: Int, bytes: [UInt8])], end: Int
  ) -> [UInt8] {
    var bytes = [0] + text(0x03, name)
    var tick = 0
    for event in events {
      bytes += variable(max(0, event.tick - tick)) + event.bytes
      tick = max(tick, event.tick)
    }
    return bytes + variable(max(0, end - tick)) + [0xFF, 0x2F, 0]
  }

  private static func chunk(_ name: String, _ content: [UInt8]) -> [UInt8] {
    Array(name.utf8) + number(content.count, bytes: 4) + content
  }

  private static func number(_ number: Int, bytes count: Int) -> [UInt8] {
    (0..<count).reversed().map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
  }

  /// Serializes a variable-length quantity, with seven bits per byte.
  private static func variable(_ number: Int) -> [UInt8] {
    var bytes = [UInt8(number & 0x7F)]
    var rest = number >> 7
    while rest > 0 {
      bytes.insert(UInt8(rest & 0x7F) | 0x80, at: 0)
      rest >>= 7
    }
    return bytes
  }
}
