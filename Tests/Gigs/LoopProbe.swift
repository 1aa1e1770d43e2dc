import Control
import Engine
import Howl
import OSC
import TestSupport

/// Checks the invariants of a loop, whatever else the node has done and is doing.
struct LoopProbe {
  let stage: GigStage
  /// The index of the loop, from 0.
  let loop: Int

  private var path: String { "/loop/\(loop + 1)" }

  // The frames left out on each side of a loop crossfade: 50 ms, since it takes at most 48.
  private var edge: Int { stage.rate / 20 }

  /// Sets the parameters that the checks depend on, and clears the loop; all others stay.
  func makeReady(_ chance: inout Chance) {
    stage.releasePedals()
    stage.tell("/scene/cancel")
    // It can be too late to cancel a switch, which is sent 0.1 s ahead.
    stage.run(frames: stage.rate / 4)
    // A load or swap in progress would otherwise land after the clear.
    stage.awaitIdle()
    for (path, argument) in [
      ("/lock", .int32(0)), ("/mute", .int32(0)), ("/tempo/source", .string("own")),
      ("/transport/follow", .int32(0)), ("/phrase/stop", nil),
      ("/midi/snap", .int32(0)), ("/in/gain", .float(0)), ("/guard/on", .int32(0)),
      ("/lowcut", .float(0)), ("/gate/on", .int32(0)), ("/level/on", .int32(0)),
      ("/tune/on", .int32(0)),
      ("/guard/clear", nil), ("/stretch/on", .int32(0)), ("/pitch/on", .int32(0)),
      ("/loop/tempo", .int32(0)),
      ("/latency/extra", .float(0)),
      // Each beat has a whole number of frames, at each rate.
      ("/metronome/bpm", .float(chance.one(of: [60, 75, 90, 100, 120, 150, 180]))),
      ("/metronome/beats", .int32(Int32(chance.number(2...5)))),
      ("/metronome/countin", .int32(chance.one(of: [0, 0, 0, 1]))),
      ("/loop/lateness", .float(chance.one(of: [0, 0.15, 0.5]))),
      ("/settings/press/long", .float(0.6)), ("/settings/press/double", .float(0.3)),
    ] as [(String, Argument?)] {
      if let argument { stage.tell(path, argument) } else { stage.tell(path) }
    }
    for index in 1...stage.loopCount { stage.tell("/loop/\(index)/solo", .int32(0)) }
    for (name, argument) in [
      ("cancel", nil), ("clear", nil), ("gain", .float(0)), ("pan", .float(0)),
      ("mute", .int32(0)), ("semitones", .float(0)), ("rate", .float(1)), ("speed", .float(1)),
      ("follow", .string("off")), ("direction", .int32(1)), ("loop", .int32(1)),
      ("source", .string("live")), ("quantize", .string("off")), ("stopAt", .string("now")),
      ("beats", .float(0)), ("threshold", .float(-90)), ("feedback", .float(1)),
      ("after", .string("play")),
    ] as [(String, Argument?)] {
      if let argument {
        stage.tell("\(path)/\(name)", argument)
      } else {
        stage.tell("\(path)/\(name)")
      }
    }
    stage.sync()
    // A late press reaches back by up to half a second, in which the input gain must not change.
    stage.run(frames: stage.rate)
    let state = stage.loop(loop)
    if state.length != 0 || state.pending != nil {
      stage.fail("\(path) was cleared and is \(state)")
    }
  }

  /// Waits until the loop meets a condition, for at most a number of seconds.
  @discardableResult
  private func wait(
    _ what: String, seconds: Double, _ isSo: (PublishedLoop.Reading) -> Bool
  ) -> Bool {
    var left = Int(seconds * Double(stage.rate))
    while left > 0 {
      if isSo(stage.loop(loop)) { return true }
      stage.run(frames: 480)
      left -= 480
    }
    let errors = stage.take().filter { $0.address == "/error" }.map { "\($0)" }
    stage.fail(
      "\(path) does not \(what) within \(seconds) s: \(stage.loop(loop)) \(errors + stage.said)")
    return false
  }

  /// Records a loop of noise with random timing, count-in and threshold, and lets it play.
  func record(_ chance: inout Chance) -> Bool {
    let grid = chance.one(of: ["off", "off", "beat", "bar"])
    stage.tell("\(path)/quantize", .string(grid))
    stage.tell("\(path)/threshold", .float(chance.one(of: [-90, -40])))
    stage.run(frames: Int(chance.number(1...60_000)))
    let way = chance.one(of: ["record", "pedal"])
    func press() {
      if way == "record" {
        stage.tell("\(path)/record")
      } else {
        stage.tell("\(path)/pedal", .float(1))
        stage.run(frames: Int(chance.number(500...9000)))
        stage.tell("\(path)/pedal", .float(0))
      }
    }
    press()
    // The slowest bar lasts five seconds, and a bar of count-in may precede it.
    guard wait("record", seconds: 12, { $0.state.isRecording }) else { return false }
    // A second press within the double-press time means something else.
    stage.run(frames: Int(chance.number(0.5...2) * Double(stage.rate)))
    press()
    guard wait("play", seconds: 12, { $0.state.isPlaying && $0.pending == nil }) else {
      return false
    }
    stage.tell("\(path)/quantize", .string("off"))
    stage.sync()
    // A gain settles to its last bit within a second of audio.
    stage.run(frames: Int(1.2 * Double(stage.rate)))
    return true
  }

  /// Returns one cycle of the loop's output from its first frame, or nil if the loop is not steady.
  func cycle() -> [Float]? {
    let before = stage.loop(loop)
    guard before.state.isPlaying, before.length > 0, !before.isOverdubbing else {
      stage.fail("\(path) should play steadily: \(before)")
      return nil
    }
    let sound = stage.run(frames: before.length).loops[loop]
    let after = stage.loop(loop)
    let off = (before.position + sound.count - after.position) % before.length
    // A cycle on the beat can be a fraction of a frame shorter than its clip.
    if [1, before.length - 1].contains(abs(off)) { return nil }
    if after.length != before.length || off != 0 {
      let settings = ["rate", "speed", "direction", "follow"].map { stage.value("\(path)/\($0)") }
      stage.fail(
        "\(path) was at \(before.position), and after a cycle of \(before.length) at \(after), with "
          + "\(settings)")
    }
    let start = (before.length - before.position) % before.length
    return Array(sound[start...] + sound[..<start])
  }

  /// Compares two cycles, except for the last bits, which a settling gain changes.
  func expectSame(_ one: [Float], _ other: [Float], _ what: String) {
    let differing = zip(one, other).enumerated().filter { abs($0.element.0 - $0.element.1) > 1e-6 }
    guard one.count != other.count || !differing.isEmpty else { return }
    let most = differing.map { abs($0.element.0 - $0.element.1) }.max() ?? 0
    stage.fail(
      "\(path): \(what): \(differing.count) of \(one.count) samples (then \(other.count)) differ, from "
        + "\(differing.first?.offset ?? -1) to \(differing.last?.offset ?? -1), by up to \(most)")
  }

  /// Checks that a cycle is the recorded input, except at its edges.
  func expectHeard(_ cycle: [Float]) {
    guard cycle.count > 4 * edge else { return }
    let middle = cycle.count / 2
    let part = Array(cycle[middle..<middle + 128])
    let (place, gain, likeness) = stage.heard.likeliest(part)
    let start = place - middle
    guard likeness > 0.999, start >= 0, start + cycle.count <= stage.heard.samples.count else {
      return stage.fail(
        "\(path): the loop of \(cycle.count) frames was not heard: similarity \(likeness), gain \(gain)"
      )
    }
    let heard = stage.heard.samples[start..<start + cycle.count]
    let differing = zip(cycle, heard).enumerated().filter { index, pair in
      // A settling gain, or a rounded 0 dB, changes the last bits.
      abs(pair.0 - pair.1) > 1e-5 && index > edge && index < cycle.count - edge
    }
    guard let first = differing.first, let last = differing.last else { return }
    stage.fail(
      "\(path): the loop of \(cycle.count) frames differs from what was heard: \(differing.count) samples from "
        + "\(first.offset) to \(last.offset) differ, such as \(first.element)")
  }

  /// Adds layers of alternating kinds without a pause, and undoes and redoes them.
  func layer(_ chance: inout Chance) -> [Float]? {
    guard let base = cycle() else { return nil }
    var kinds = ["overdub"]
    while chance.number(0...1) < 0.3 {
      kinds.append(
        chance.one(of: ["overdub", "replace", "substitute"].filter { $0 != kinds.last }))
    }
    for kind in kinds {
      stage.tell("\(path)/\(kind)")
      stage.run(frames: Int(chance.number(0.2...1.6) * Double(base.count)))
    }
    stage.tell("\(path)/\(kinds.last ?? "")")
    stage.sync()
    guard wait("end its layer", seconds: 1, { !$0.isOverdubbing && $0.pending == nil }) else {
      return nil
    }
    stage.run(frames: edge)
    guard let added = cycle() else { return nil }
    let layers = stage.loop(loop).overdubs
    if layers != kinds.count { stage.fail("\(path) has \(layers) layers after \(kinds)") }
    if added == base { stage.fail("\(path): \(kinds) changed nothing") }
    for _ in kinds { stage.tell("\(path)/undo") }
    stage.sync()
    stage.run(frames: edge)
    guard let undone = cycle() else { return nil }
    expectSame(base, undone, "undo does not bring back what was")
    for _ in kinds { stage.tell("\(path)/redo") }
    stage.sync()
    stage.run(frames: edge)
    guard let redone = cycle() else { return nil }
    expectSame(added, redone, "redo does not bring back what was")
    return redone
  }

  /// Starts the loop from a stop, after a start of the node.
  func play() {
    stage.tell("\(path)/quantize", .string("off"))
    // A take whose load was confirmed is in the loop in the next buffer.
    stage.sync()
    if !stage.loop(loop).state.isPlaying { stage.tell("\(path)/play") }
    stage.sync()
    _ = wait("play", seconds: 2) { $0.state.isPlaying && $0.pending == nil }
    stage.run(frames: edge)
  }

  /// Checks that the loop is where it would be without the loss of the server.
  func loseServer(_ chance: inout Chance) {
    let (before, rate) = (stage.loop(loop), stage.rate)
    guard before.state.isPlaying else { return }
    let start = stage.played
    let newRate = chance.one(of: [44_100, 48_000, 48_000, 96_000])
    stage.loseServer(
      for: chance.number(0.05...4), rate: newRate, block: chance.one(of: [64, 128, 256, 1024]))
    stage.run(frames: 4096)
    let after = stage.loop(loop)
    guard after.state.isPlaying, after.length > 0 else {
      return stage.fail("\(path) does not play after a loss of the server: \(after)")
    }
    let length = Double(before.length) / Double(rate)
    let place = Double(after.position) / Double(stage.rate)
    let due = (Double(before.position) / Double(rate) + stage.played - start)
      .truncatingRemainder(dividingBy: length)
    var off = (place - due).truncatingRemainder(dividingBy: length)
    if off > length / 2 { off -= length }
    if off < -length / 2 { off += length }
    // Each of three changes of the clock rounds to frames.
    if abs(off) > 0.000_3 {
      stage.fail(
        "\(path) is \(off * 1000) ms off after a loss of the server, \(rate) to \(newRate) Hz")
    }
  }
}
