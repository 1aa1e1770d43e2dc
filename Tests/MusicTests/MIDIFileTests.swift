import Music
import Testing

@Suite struct MIDIFileTests {
  /// The events of a track, each with its tick.
  private struct Reading {
    var division = 0
    var tracks: [[(tick: Int, bytes: [UInt8])]] = []

    init(_ bytes: [UInt8]) throws {
      var place = 0
      func number(_ count: Int) -> Int {
        defer { place += count }
        return bytes[place..<place + count].reduce(0) { $0 << 8 | Int($1) }
      }
      func variable() -> Int {
        var result = 0
        while true {
          let byte = number(1)
          result = result << 7 | byte & 0x7F
          if byte < 0x80 { return result }
        }
      }
      func name() -> String {
        defer { place += 4 }
        return String(decoding: bytes[place..<place + 4], as: UTF8.self)
      }
      try #require(name() == "MThd" && number(4) == 6 && number(2) == 1)
      let count = number(2)
      division = number(2)
      for _ in 0..<count {
        try #require(name() == "MTrk")
        let end = number(4) + place
        var (tick, events) = (0, [(tick: Int, bytes: [UInt8])]())
        while place < end {
          tick += variable()
          let start = place
          switch bytes[place] {
          case 0xFF:
            place += 2
            let length = variable()
            place += length
          case 0xC0..<0xE0: place += 2
          default: place += 3
          }
          events.append((tick, Array(bytes[start..<place])))
        }
        try #require(place == end && events.last?.bytes == [0xFF, 0x2F, 0])
        tracks.append(events)
      }
      try #require(place == bytes.count)
    }

    /// The seconds of a tick by the tempos of the first track.
    func seconds(of tick: Int) -> Double {
      var (time, former, tempo) = (0.0, 0, 500_000)
      for event in tracks[0] where event.bytes[1] == 0x51 && event.tick < tick {
        time += Double(event.tick - former) * Double(tempo) / 1e6 / Double(division)
        former = event.tick
        tempo = event.bytes[3...].reduce(0) { $0 << 8 | Int($1) }
      }
      return time + Double(tick - former) * Double(tempo) / 1e6 / Double(division)
    }

    func meters() -> [(tick: Int, beats: UInt8)] {
      tracks[0].filter { $0.bytes[1] == 0x58 }.map { ($0.tick, $0.bytes[3]) }
    }
  }

  /// Beats whose tempo moves, the first one somewhere in a bar of four.
  private var beats: [MIDIFile.Beat] {
    var (beats, frame) = ([MIDIFile.Beat](), 7000.0)
    for index in 0..<200 {
      beats.append(.init(frame: Int(frame), number: (index + 2) % 4 + 1, beatsPerBar: 4))
      frame += 24_000 + 3000 * Double(index % 17) / 17
    }
    return beats
  }

  @Test func `each message is at the time of its frame`() throws {
    let frames = stride(from: 0, to: 5_000_000, by: 12_347).map { $0 }
    var file = MIDIFile(
      rate: 48_000, frames: 5_100_000, beats: beats, markers: [(100_000, "Chorus")], title: "test")
    file.add(frames.map { .init(frame: $0, bytes: [0xB0, 7, 64]) }, named: "in")
    let reading = try Reading(file.bytes)
    for (event, frame) in zip(reading.tracks[1].dropFirst(), frames) {
      // Half of a tick of the slowest beat, and the rounding of a tempo.
      #expect(abs(reading.seconds(of: event.tick) - Double(frame) / 48_000) < 0.000_32)
    }
    let marker = try #require(reading.tracks[0].first { $0.bytes[1] == 6 })
    #expect(marker.bytes == [0xFF, 6, 6] + Array("Chorus".utf8))
    #expect(abs(reading.seconds(of: marker.tick) - 100_000 / 48_000.0) < 0.000_32)
  }

  @Test func `bars begin with their first beats, behind one of what comes before`() throws {
    let file = MIDIFile(rate: 48_000, frames: 5_100_000, beats: beats, markers: [], title: "")
    let reading = try Reading(file.bytes)
    let meters = reading.meters()
    // 7000 frames, two beats of a bar that had begun, and then whole ones.
    #expect(meters.prefix(3).map(\.beats) == [1, 2, 4])
    #expect(meters.prefix(3).map(\.tick) == [0, 960, 2880])
    for (beat, tick) in zip(beats, stride(from: 960, to: .max, by: 960)) {
      #expect(abs(reading.seconds(of: tick) - Double(beat.frame) / 48_000) < 2e-6)
    }
  }

  @Test func `without beats the tempo is 120, and held notes end with the sound`() throws {
    var file = MIDIFile(rate: 44_100, frames: 88_200, beats: [], markers: [], title: "x")
    file.add(
      [
        .init(frame: 22_050, bytes: [0x91, 60, 100]), .init(frame: 33_075, bytes: [0xC1, 5]),
        .init(frame: 44_100, bytes: [0xF8]),
      ], named: "in")
    let reading = try Reading(file.bytes)
    #expect(reading.tracks[1].map(\.tick) == [0, 960, 1440, 3840, 3840])
    #expect(reading.tracks[1][3].bytes == [0x81, 60, 0])
  }
}
