import Foundation
import Posix

// gigs FIRST COUNT [SECONDS]: plays COUNT gigs with the seeds from FIRST on, in simulated time, and prints
// the number of each check. A fault ends its gig; the same seed repeats it. Exits with 1 if there was one.
// With GIGS_LOG set, it writes all messages to standard error.
let numbers = CommandLine.arguments.dropFirst().compactMap { Int($0) }
guard numbers.count >= 2, numbers.count == CommandLine.arguments.count - 1 else {
  FileHandle.standardError.write(Data("takes the first seed, a count, and seconds\n".utf8))
  exit(64)
}
let (first, count) = (numbers[0], numbers[1])
let seconds = numbers.count > 2 ? numbers[2] : 360
/// Writes a line without buffering.
func report(_ line: String) { FileHandle.standardOutput.write(Data("\(line)\n".utf8)) }

var checks: [String: Int] = [:]
var (played, failed) = (0.0, 0)
let start = HostTime.steady
for seed in first..<first + count {
  let gig = try Gig(seed: seed)
  defer { gig.leave() }
  var hasFailed = false
  do {
    try gig.run(seconds: Double(seconds))
  } catch {
    report("seed \(seed) at \(Int(gig.played)) s: \(error)")
    hasFailed = true
  }
  for fault in gig.faults { report("seed \(seed) \(fault)") }
  if hasFailed || !gig.faults.isEmpty { failed += 1 }
  played += gig.played
  checks.merge(gig.checks) { $0 + $1 }
}
let speed = played / ((HostTime.steady - start) / 1e6)
let counted = checks.sorted { $0.key < $1.key }.map { "\($0.value) \($0.key)" }
report(
  "\(count) gigs of \(String(format: "%.2f", played / 3600)) h, \(Int(speed)) times as fast as they sound: "
    + counted.joined(separator: ", ") + "; \(failed) with faults")
exit(failed == 0 ? 0 : 1)
