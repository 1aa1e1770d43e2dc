import DSP
import Foundation
import InstrumentFiles
import Music
import OSC
import TestSupport
import Testing

extension NodeTests {
  /// The pitch of the grid's cells, from a touch to the output.
  @Suite struct IntonationTests {
    private struct Cell {
      let row: Int32
      let column: Int32
      let name: String
      let note: Int
      var hertz: Double { 440 * pow(2, Double(note - 69) / 12) }
    }

    // The length of a note, and the part in which its pitch is measured, after the attack.
    private static let held: Int64 = 10_000
    private static let heard: Range<Int64> = 3000..<9500

    /// The number of semitones of a name above C, in any octave.
    private static func pitchClass(_ name: String) -> Int? {
      guard let letter = name.first.flatMap({ NoteName("\($0)") }) else { return nil }
      let sharps = name.count { $0 == "#" } - name.dropFirst().count { $0 == "b" }
      return (letter.pitchClass + sharps + 12) % 12
    }

    /// The cells of the layout.
    private func cells(_ phone: Phone) throws -> [Cell] {
      phone.send("/grid/layout")
      phone.send("/sync", .int32(7))
      let told = phone.receive(untilOneOf: ["/synced"])
      let layout = try #require(told.first { $0.address == "/grid/layout" }).arguments
      guard case .int32(let rows) = layout[0], case .int32(let columns) = layout[1] else {
        throw Fault("unexpected layout: \(layout)")
      }
      var cells: [Cell] = []
      for received in told where received.address == "/grid/cell" {
        guard case .int32(let row) = received.arguments[0],
          case .int32(let column) = received.arguments[1],
          let name = received.arguments[2].text, let note = received.arguments[3].number
        else { throw Fault("unexpected cell: \(received)") }
        #expect((1...rows).contains(row) && (1...columns).contains(column))
        cells.append(Cell(row: row, column: column, name: name, note: Int(note)))
      }
      return cells
    }

    /// The SoundFont that nodes find first, if installed.
    private static let font = "/usr/share/sounds/sf2/FluidR3_GM.sf2"

    /// An instrument, and its source.
    struct Kind: CustomTestStringConvertible {
      let name: String
      /// Its number in the SoundFont; nil if it is built in.
      let program: Int?

      /// The distance to the next note in frames, which includes the release of this one.
      var rest: Int64 { program == nil ? 2000 : 24_000 }

      var testDescription: String { program == nil ? "\(name), built in" : name }
    }

    private static let kinds: [Kind] = {
      let all = [("piano", 0), ("violin", 40), ("acoustic guitar", 24), ("electric guitar", 29)]
      return all.map { Kind(name: $0.0, program: nil) }
        + (access(font, R_OK) == 0 ? all.map { Kind(name: $0.0, program: $0.1) } : [])
    }()

    /// The detuning of a note's samples themselves in the measured time, in cents.
    private func detune(_ note: Int, of instrument: Instrument) throws -> Double {
      let regions = instrument.regions.filter {
        // The output is the left side.
        $0.fits(key: note, velocity: 102) && $0.trigger == .attack && $0.pan <= 0
      }
      let first = try #require(regions.first)
      let rate = Double(instrument.samples[first.sample].rate)
      let speed = pow(2, first.cents(key: note) / 1200) * rate / 48_000
      let own = 440 * pow(2, Double(note - 69) / 12) / speed * rate / 48_000
      var heard = [Float](repeating: 0, count: Int(Double(Self.heard.count) * speed))
      for region in regions where region.cents(key: note) == first.cents(key: note) {
        let sound = try instrument.samples[region.sample].read()[0]
        let start = region.start + Int(Double(Self.heard.lowerBound) * speed)
        for index in heard.indices {
          var frame = start + index
          // A loop continues.
          if !region.loop.isEmpty, frame >= region.loop.upperBound {
            frame = region.loop.lowerBound + (frame - region.loop.lowerBound) % region.loop.count
          }
          if frame < sound.count { heard[index] += sound[frame] }
        }
      }
      let found = try #require(Measure.frequency(heard, near: own, sampleRate: rate))
      return 1200 * log2(found / own)
    }

    /// Whether all cells are played; otherwise only the first of those of one instrument with the
    /// same key, because a key's pitch does not depend on the scale.
    private static let hearsAll = ProcessInfo.processInfo.environment["SYRINX_ALL_CELLS"] != nil

    @Test(.hangLimit, arguments: kinds)
    func `every cell of every scale sounds at its name's frequency`(kind: Kind) throws {
      let (server, node, _) = try startNode(
        block: 1024, environment: kind.program == nil ? ["SYRINX_SOUNDFONTS": "none"] : [:])
      let instrument = try kind.program.map { program in
        let font = try SoundFont(Self.font)
        return try font.instrument(font.program(number: program))
      }
      var detunes: [Int: Double] = [:]
      let phone = try Phone(port: node.port)
      let probe = try Probe(server: server.name)
      try probe.connect(to: "syrinx")
      phone.send("/grid/instrument", .string(kind.name))
      #expect(phone.receive("/reply")?.arguments[0] == .string("/grid/instrument"))
      phone.send("/grid/route", .string("direct"))
      let scales = try #require(phone.ask("/scales")).arguments.compactMap(\.text)
      #expect(scales.count > 40)
      try probe.pass(seconds: 0.5, "the smoothed clock settles")
      let ear = Ear()
      probe.listen(ear.hear)
      probe.setFreewheel(true)
      try phone.awaitFreewheel()
      var worst = 0.0
      var count = 0
      var keys: Set<Int> = []
      for scale in scales {
        ear.turnstile.open(until: .max)
        phone.send("/grid/scale", .string(scale))
        #expect(phone.sync())
        // The sync that ends the list of cells needs a running audio thread.
        let all = try cells(phone)
        ear.turnstile.open(until: 0)
        for cell in all { #expect(Self.pitchClass(cell.name) == cell.note % 12, "\(cell.name)") }
        let cells = all.filter { keys.insert($0.note).inserted || Self.hearsAll }
        let clock = try #require(phone.ask("/clock")).arguments
        guard case .int64(let frame0) = clock[0], case .timeTag(let time0) = clock[1] else {
          throw Fault("\(clock)")
        }
        ear.forget()
        let start = ear.turnstile.heard + 4096
        func at(_ frame: Int64, _ address: String, _ cell: Cell) {
          let time = TimeTag(
            unixMicroseconds: time0.unixMicroseconds + Double(frame - frame0) / 48_000 * 1e6)
          let message = [UInt8](address: address, [.int32(cell.row), .int32(cell.column)])
          phone.send(bytes: [UInt8](bundle: [message], at: time))
        }
        let period = Self.held + kind.rest
        for (index, cell) in cells.enumerated() {
          at(start + Int64(index) * period, "/grid/touch", cell)
          at(start + Int64(index) * period + Self.held, "/grid/release", cell)
        }
        _ = try #require(phone.ask("/status/rate"))
        let end = start + Int64(cells.count) * period
        ear.turnstile.open(until: end)
        ear.turnstile.awaitHeard(end)
        for (index, cell) in cells.enumerated() {
          let begin = start + Int64(index) * period
          let heard = ear[begin + Self.heard.lowerBound..<begin + Self.heard.upperBound]
          guard let hertz = Measure.frequency(heard, near: cell.hertz, sampleRate: 48_000) else {
            Issue.record("\(cell.name) of \(scale) is silent")
            continue
          }
          var detune = detunes[cell.note] ?? 0
          if let instrument, detunes[cell.note] == nil {
            detune = try self.detune(cell.note, of: instrument)
            detunes[cell.note] = detune
          }
          let cents = 1200 * log2(hertz / cell.hertz) - detune
          worst = max(worst, abs(cents))
          #expect(abs(cents) < 3, "\(cell.name), \(cell.note), of \(scale): \(cents) cents off")
          count += 1
        }
      }
      print("\(kind.testDescription): \(count) cells, at most \(worst) cents off")
      ear.turnstile.open(until: .max)
      probe.setFreewheel(false)
      probe.listen(nil)
      probe.close()
      #expect(node.end() == 0)
    }
  }
}
