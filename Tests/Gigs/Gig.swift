import Control
import Foundation
import Howl
import OSC
import TestSupport

/// A few simulated minutes on stage, determined by a seed.
final class Gig {
  private let stage: GigStage
  private var chance: Chance
  private var chaos: Chaos

  private var playsWithStems = false

  /// The checks, and how often each was made.
  private(set) var checks: [String: Int] = [:]

  var faults: [String] { stage.faults }
  var played: Double { stage.played }

  init(seed: Int) throws {
    stage = try GigStage(seed: seed)
    chance = Chance(seed)
    chaos = Chaos(seed: seed &+ 1, table: stage.node.table)
  }

  /// Plays for a number of seconds.
  func run(seconds: Double) throws {
    for (note, target) in [(40, "/loop/1/pedal"), (41, "/loop/2/pedal"), (42, "/loop/next")] {
      stage.tell("/midi/bind", .string("note:\(note)"), .string(target))
    }
    stage.run(frames: 4800)
    while stage.played < seconds, faults.isEmpty {
      playAtRandom(seconds: chance.number(2...15))
      guard faults.isEmpty else { break }
      switch Int(chance.number(0...8.99)) {
      case 0...4: try probeLoop()
      case 5: probeNotes()
      case 6: probeServer()
      case 7: probeLostFrames()
      default: try probeTakes()
      }
    }
  }

  /// Ends the node, and deletes the files.
  func leave() { stage.leave() }

  private func count(_ what: String) { checks[what, default: 0] += 1 }

  private func playAtRandom(seconds: Double) {
    let end = stage.played + seconds
    // Every other time without stems, as blocks in which nothing changes are then rendered in another way.
    stage.areStemsConnected = playsWithStems
    playsWithStems.toggle()
    defer { stage.areStemsConnected = true }
    while stage.played < end, faults.isEmpty {
      for _ in 0..<Int(chance.number(0...3.99)) {
        stage.give(chaos.packet())
        count("messages")
      }
      if chance.number(0...1) < 0.2 {
        let note = UInt8(chance.one(of: [40, 41, 42, 60, 64, 67]))
        stage.play(midi: [chance.one(of: [0x90, 0x80]), note, UInt8(chance.number(0...127))])
      }
      stage.run(
        frames: Int(chance.number(64...24_000)), silent: chance.number(0...1) < 0.2)
      _ = stage.take()
    }
  }

  private func probeLoop() throws {
    let probe = LoopProbe(stage: stage, loop: Int(chance.number(0...3.99)))
    probe.makeReady(&chance)
    guard faults.isEmpty, probe.record(&chance), let recorded = probe.cycle() else { return }
    probe.expectHeard(recorded)
    count("recordings")
    guard faults.isEmpty, let sound = probe.layer(&chance) else { return }
    count("layers")
    guard faults.isEmpty else { return }
    switch Int(chance.number(0...3.99)) {
    case 0:
      try stage.awaitDisk()
      try stage.restart()
      count("restarts")
    case 1:
      try stage.awaitDisk()
      try stage.kill()
      count("kills")
    default: return
    }
    probe.play()
    guard let kept = probe.cycle() else { return }
    probe.expectSame(sound, kept, "a start brings back something else")
  }

  private func probeNotes() {
    stage.tell("/phrase/stop")
    stage.tell("/music/stop")
    stage.tell("/grid/sustain", .int32(0))
    stage.tell("/note/allOff")
    stage.sync()
    stage.run(frames: stage.rate / 2)
    count("ends of all notes")
    if stage.notesHeld > 0 { stage.fail("\(stage.notesHeld) notes are held after /note/allOff") }
  }

  private func probeServer() {
    let probe = LoopProbe(stage: stage, loop: Int(chance.number(0...3.99)))
    probe.makeReady(&chance)
    guard faults.isEmpty, probe.record(&chance) else { return }
    probe.loseServer(&chance)
    count("losses of the server")
  }

  private func probeLostFrames() {
    stage.lose(frames: Int(chance.number(1...20_000)))
    stage.run(frames: 9600)
    stage.sync()
    count("xruns")
  }

  /// Returns the reply to a message, or the error, once the disk access is done.
  private func answer(to path: String, _ argument: Argument) throws -> Received? {
    _ = stage.take()
    stage.tell(path, argument)
    var answer: Received?
    try waitUntil("\(path) is answered", every: 0.001) {
      stage.run(frames: 480)
      // Skips replies to random messages, which name something else.
      answer = stage.take().first {
        ["/reply", "/error"].contains($0.address) && $0.arguments.first == .string(path)
          && "\($0.arguments.dropFirst())".contains(argument.text ?? "")
      }
      return answer != nil
    }
    return answer
  }

  private func probeTakes() throws {
    let probe = LoopProbe(stage: stage, loop: Int(chance.number(0...3.99)))
    probe.makeReady(&chance)
    guard faults.isEmpty, probe.record(&chance), let sound = probe.cycle() else { return }
    let name = "take \(Int(chance.number(0...1e6)))"
    let path = "/loop/\(probe.loop + 1)"
    let saved = try answer(to: "\(path)/save", .string(name))
    guard let saved, saved.address == "/reply", saved.arguments.count > 1,
      case .string(let id) = saved.arguments[1]
    else { return stage.fail("\(path)/save: \(String(describing: saved))") }
    let loading = try answer(to: "\(path)/load", .string(id))
    guard loading?.address == "/reply" else {
      return stage.fail("\(path)/load \(id): \(String(describing: loading))")
    }
    probe.play()
    guard let loaded = probe.cycle() else { return }
    count("takes")
    // Takes have 24 bits, and a settling gain changes the last one.
    let most = zip(sound, loaded).map { abs($0 - $1) }.max() ?? 1
    if loaded.count != sound.count || most > 1e-6 {
      stage.fail(
        "a take of \(sound.count) frames comes back with \(loaded.count), up to \(most) off")
    }
  }
}
