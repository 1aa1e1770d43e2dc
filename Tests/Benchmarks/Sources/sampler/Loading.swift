internal import Foundation
internal import InstrumentFiles
internal import Posix

/// Measures the time until each program of a SoundFont can play its first note, and until it is
/// complete.
///
/// Prints the means and maxima, and the bank and number of the slowest program.
func programs(_ path: String) throws {
  var (firsts, wholes): ([Double], [Double]) = ([], [])
  var slowest = (bank: 0, number: 0, milliseconds: 0.0)
  for program in try SoundFont(path).programs {
    let start = HostTime.steady
    // Like a node after its start, it reads the font again.
    let reading = try InstrumentReading(
      SoundFont(path).instrument(program), InstrumentTicket(patience: 0))
    _ = try reading.begin()
    firsts.append((HostTime.steady - start) / 1000)
    while !reading.isOver { usleep(200) }
    wholes.append((HostTime.steady - start) / 1000)
    if wholes.last! > slowest.milliseconds {
      slowest = (program.bank, program.number, wholes.last!)
    }
  }
  func mean(_ times: [Double]) -> Double { times.reduce(0, +) / Double(times.count) }
  let name = path.split(separator: "/").last.map(String.init) ?? path
  print(
    Measure.label(name)
      + [mean(firsts), firsts.max()!, mean(wholes), wholes.max()!].map { Measure.text($0, 0) }
      .joined() + "   \(slowest.bank) \(slowest.number)")
}

/// Measures the time and memory for a program of a SoundFont to load completely.
func load(_ font: String, _ peer: Int, bank: Int, program: Int) throws {
  func resident() -> Double {
    let text = (try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8)) ?? ""
    return Double(text.split(separator: " ").dropFirst().first ?? "0")! * 4096 / 1e6
  }
  let synth = make(peer)
  let before = resident()
  let start = HostTime.steady
  try synth.load(font, bank: bank, program: program)
  let milliseconds = (HostTime.steady - start) / 1000
  let memory = resident() - before
  synth.begin(key: 60, velocity: 100)
  guard synth.play(4800).contains(where: { abs($0) > 1e-5 }) else {
    throw Failure("\(synth.name) plays nothing")
  }
  print(Measure.label(synth.name) + Measure.text(milliseconds) + Measure.text(memory))
}
