import Foundation
import OSC
import TestSupport
import Testing

extension NodeTests.SurfaceTests {
  /// An effect needs one press, and a fader under a finger stays at the finger.
  func voice(_ stage: SurfaceStage) throws {
    let (phone, other) = (stage.phone, stage.other)
    try stage.open("Voice")
    let effects = ["chipmunk", "vader", "snail", "rabbit", "echo", "reverb"]
    for effect in effects {
      try stage.tap("Voice/\(effect)")
      #expect(try stage.reaches("/preset", .string(effect)))
      #expect(try phone.wait { try stage.isLit("Voice/\(effect)") })
      #expect(try effects.filter { try stage.isLit("Voice/\($0)") } == [effect])
    }
    try stage.tap("Voice/dry")
    #expect(try phone.wait { try stage.isLit("Voice/dry") })

    let pitch = try stage.control("Voice/pitch/fader")
    let label = try stage.control("Voice/pitch/value")
    let finger = try phone.touch(pitch, at: pitch.point(0.5, 0.5))
    for step in 1...10 {
      try finger.move(to: pitch.point(0.5 + 0.025 * Double(step), 0.5))
      try phone.run(seconds: 0.02)
    }
    #expect(try stage.reaches("/pitch/semitones", .float(12)))
    #expect(label.text == "12.0 semitones")
    other.send("/pitch/semitones", .float(-6))
    #expect(other.sync())
    try phone.run(seconds: 0.3)
    #expect(pitch.x == 0.75 && label.text == "12.0 semitones")
    try finger.lift()
    #expect(try phone.wait { abs(pitch.x - 18.0 / 48) < 1e-6 && label.text == "-6.0 semitones" })
    // Messages without a touch move it.
    other.send("/pitch/semitones", .float(3))
    #expect(try phone.wait { abs(pitch.x - 27.0 / 48) < 1e-6 })
    #expect(try !stage.isLit("Voice/pitch-none"))
    try stage.tap("Voice/pitch-none")
    #expect(try stage.reaches("/pitch/semitones", .float(0)))
    #expect(try phone.wait { try stage.isLit("Voice/pitch-none") })

    // Also faders with an exponential curve: the label shows the node's value.
    for (name, address) in [("rate", "/stretch/rate"), ("echo-time", "/echo/time")] {
      let fader = try stage.control("Voice/\(name)/fader")
      let finger = try phone.touch(fader, at: fader.point(0.3, 0.5))
      try phone.run(seconds: 0.1)
      let value = try stage.number(address)
      try finger.lift()
      // The reply to the final query comes back to the same position.
      let label = try stage.control("Voice/\(name)/value")
      #expect(
        try phone.wait {
          abs((SurfaceStage.number(in: label.text) ?? .infinity) - value) < 0.006
            && abs(fader.x - 0.3) < 1e-4
        }, "\(name)")
    }
    for (name, address) in [("Voice/echo-on", "/echo/on"), ("bar/mute", "/mute")] {
      let before = try stage.number(address)
      try stage.tap(name)
      #expect(try stage.reaches(address, .int32(Int32(1 - before))))
      #expect(try phone.wait { try stage.isLit(name) == (before == 0) })
      other.send(address, .int32(Int32(before)))
      #expect(try phone.wait { try stage.isLit(name) == (before == 1) })
    }
    stage.check()
  }

  /// Available buttons of the loop are lit, all others are dim.
  func loop(_ stage: SurfaceStage) throws {
    let (phone, other) = (stage.phone, stage.other)
    try stage.open("Loop")
    let names = ["record", "play", "stop", "rewind", "forward", "done"]
    func checkLights(_ doing: String, sourceLocation: SourceLocation = #_sourceLocation) throws {
      #expect(
        try phone.wait { other.ask("/player/state")?.arguments[0] == .string(doing) },
        sourceLocation: sourceLocation)
      let told = try #require(other.ask("/player/controls")).arguments
      let flags = told[..<6].map { $0 == .int32(1) }
      #expect(
        try phone.wait { try names.map { try stage.isLit("Loop/\($0)") } == flags },
        "\(doing): \(flags)", sourceLocation: sourceLocation)
      for (name, flag) in zip(names, flags) {
        let button = try stage.control("Loop/\(name)/button")
        #expect(
          phone.canTouch(button) == (flag && phone.shows(button)), "\(doing): \(name)",
          sourceLocation: sourceLocation)
      }
    }
    let steps = { try #require(other.ask("/player/state")).arguments[4] }
    try checkLights("start")
    // Without a loop nothing can be kept.
    #expect(try phone.wait { try !phone.canTouch(stage.control("Loop/keep/button")) })
    try stage.tap("Loop/record")
    try checkLights("recording")
    #expect(try stage.control("Loop/record/caption").text == "Stop")
    try other.awaitLength(0.6)
    try stage.tap("Loop/record")
    try checkLights("start")
    #expect(try stage.control("Loop/record/caption").text == "Record")
    try stage.tap("Loop/play")
    try checkLights("playing")
    let position = try stage.control("Loop/position/fader")
    var places: Set<Double> = []
    #expect(try phone.wait { places.insert(position.x).inserted && places.count > 4 })
    try stage.tap("Loop/overdub")
    try phone.run(seconds: 0.2)
    try stage.tap("Loop/overdub")
    #expect(try phone.wait { try steps() == .int32(1) })
    #expect(try phone.wait { try stage.isLit("Loop/undo") })
    try stage.tap("Loop/undo")
    #expect(try phone.wait { try steps() == .int32(0) })
    #expect(try phone.wait { try !stage.isLit("Loop/undo") })
    try stage.tap("Loop/redo")
    #expect(try phone.wait { try steps() == .int32(1) })
    try stage.tap("Loop/pause")
    try checkLights("paused")
    let finger = try phone.touch(position, at: position.point(0.03, 0.5))
    try phone.run(seconds: 0.1)
    try finger.lift()
    #expect(try phone.wait { abs(try stage.number("/player/position") - 0.3) < 0.01 })
    try stage.tap("Loop/rewind")
    #expect(try stage.reaches("/player/position", .float(0)))
    #expect(try phone.wait { position.x < 0.001 })
    try stage.tap("Loop/done")
    try checkLights("start")
    for value in [0, 1] {
      try stage.tap("Loop/repeat")
      #expect(try stage.reaches("/player/loop", .int32(Int32(value))))
    }
    #expect(try stage.isLit("Loop/keep") && stage.isLit("Loop/clear"))
    let clear = try stage.control("Loop/clear/button")
    let thumb = try phone.touch(clear)
    #expect(try phone.wait { other.ask("/player/state")?.arguments[3] == .float(0) })
    #expect(try phone.wait { !phone.canTouch(clear) })
    // The app doesn't report the finger's release: its note is released before.
    #expect(clear.x == 0)
    try thumb.lift()
    // That is undone as well.
    try stage.tap("Loop/undo")
    #expect(try phone.wait { try stage.isLit("Loop/clear") && phone.canTouch(clear) })
    stage.check()
  }

  /// Each loop is one big button; the chosen one has its settings on a separate page.
  func loops(_ stage: SurfaceStage) throws {
    let (phone, other) = (stage.phone, stage.other)
    try stage.open("Loops")
    let caption = try stage.control("Loops/slot-2/caption")
    let face = try stage.control("Loops/slot-2/face")
    let details = try stage.control("Loops/slot-2/details")
    let round = try stage.control("Loops/slot-2/round")
    func shows(_ state: String, _ word: String) throws -> Bool {
      try phone.wait {
        other.ask("/loop/2/state")?.arguments.first == .string(state)
          && caption.text == "2  \(word)"
      }
    }
    #expect(caption.text == "2  Empty" && round.x == 0)
    // A tap must not become a long press on a busy machine.
    other.send("/loop/2/pedal/long", .string("off"))
    other.send("/loop/2/pedal/double", .string("off"))
    #expect(other.sync())
    try stage.tap("Loops/slot-2")
    #expect(try shows("recording", "Rec"))
    #expect(face.color[0] == 1 && face.color[1] < 0.4)
    try other.awaitLength(0.8, ofLoop: 2)
    try stage.tap("Loops/slot-2")
    #expect(try shows("playing", "Play"))
    // Its bar rotates, also between two messages.
    var places: Set<Double> = []
    #expect(try phone.wait { places.insert(round.x).inserted && places.count > 12 })
    try stage.tap("Loops/mute-2")
    #expect(try shows("muted", "Mute"))
    #expect(try phone.wait { try stage.isLit("Loops/mute-2") })
    try stage.tap("Loops/mute-2")
    #expect(try shows("playing", "Play"))

    try stage.open("More")
    try stage.tap("More/loop-2")
    #expect(try stage.reaches("/loop/select", .int32(2)))
    #expect(try phone.wait { try stage.isLit("More/loop-2") && !stage.isLit("More/loop-1") })
    for (name, address, value) in [
      ("source-grid", "/loop/2/source", Argument.string("grid")),
      ("source-live", "/loop/2/source", .string("live")),
      ("after-overdub", "/loop/2/after", .string("overdub")),
      ("backwards", "/loop/2/direction", .int32(-1)), ("half", "/loop/2/rate", .float(0.5)),
      ("forwards", "/loop/2/direction", .int32(1)), ("whole", "/loop/2/rate", .float(1)),
      ("quantize-bar", "/loop/2/quantize", .string("bar")),
    ] {
      try stage.tap("More/\(name)")
      #expect(try stage.reaches(address, value), "\(name)")
      #expect(try phone.wait { try stage.isLit("More/\(name)") }, "\(name)")
    }
    // Another loop has its own.
    try stage.tap("More/loop-1")
    #expect(
      try phone.wait { try stage.isLit("More/quantize-off") && !stage.isLit("More/quantize-bar") })
    try stage.tap("More/loop-2")
    #expect(try phone.wait { try stage.isLit("More/quantize-bar") })

    try stage.open("Timing", by: "More/timing")
    for (name, address, value) in [
      ("stopAt-end", "/loop/2/stopAt", Argument.string("end")),
      ("follow-lock", "/loop/2/follow", .string("lock")),
      ("stopAt-now", "/loop/2/stopAt", .string("now")),
      ("follow-off", "/loop/2/follow", .string("off")),
      ("solo", "/loop/2/solo", .int32(1)),
    ] {
      try stage.tap("Timing/\(name)")
      #expect(try stage.reaches(address, value), "\(name)")
      #expect(try phone.wait { try stage.isLit("Timing/\(name)") }, "\(name)")
    }
    try stage.tap("Timing/solo")
    #expect(try stage.reaches("/loop/2/solo", .int32(0)))
    try stage.open("Scenes", by: "Timing/scenes")
    try stage.tap("Scenes/at-bar")
    #expect(try stage.reaches("/scene/at", .string("bar")))
    try stage.tap("Scenes/at-now")
    #expect(try stage.reaches("/scene/at", .string("now")))
    other.send("/scene/save", .string("Verse"))
    let scene = try stage.control("Scenes/scene/value")
    #expect(try phone.wait { scene.text == "No scene  -  next: Verse" }, "\(scene.text)")
    try stage.tap("Scenes/next")
    #expect(try stage.reaches("/scene", .string("Verse")))
    #expect(try phone.wait { scene.text == "1 of 1  Verse" }, "\(scene.text)")

    // A queued state blinks in its color, over the present one.
    try stage.open("Loops")
    // From the start of a bar of 48 s on, so that it does not end before a blink.
    other.send("/subscribe", .string("/metronome/beat"))
    try waitUntil("a bar starts") {
      other.receive("/metronome/beat", seconds: 0.5)?.arguments.first == .int32(1)
    }
    other.send("/unsubscribe", .string("/metronome/beat"))
    other.send("/metronome/bpm", .float(20))
    other.send("/metronome/beats", .int32(16))
    // Else the overdub counts for that start.
    other.send("/loop/lateness", .float(0))
    #expect(other.sync())
    other.send("/loop/2/overdub")
    #expect(try phone.wait { details.text.hasPrefix("-> Over in ") })
    #expect(caption.text == "2  Play")
    var colors: [[Double]] = []
    #expect(
      try phone.wait {
        if colors.last != details.color { colors.append(details.color) }
        return colors.count > 3
      })
    #expect(Set(colors).count == 2 && colors.contains { $0[0] == 1 && $0[1] > 0.6 })
    other.send("/loop/2/cancel")
    #expect(try phone.wait { !details.text.hasPrefix("->") })
    other.send("/metronome/bpm", .float(120))
    other.send("/metronome/beats", .int32(4))
    other.send("/loop/2/quantize", .string("off"))
    #expect(other.sync())

    other.send("/loop/2/multiply")
    #expect(try shows("multiplying", "Multiply"))
    try stage.open("More")
    #expect(try phone.wait { try stage.isLit("More/multiply") })
    try stage.tap("More/multiply")
    #expect(try shows("playing", "Play"))
    #expect(try phone.wait { try !stage.isLit("More/multiply") })
    try stage.tap("More/clear")
    #expect(try shows("empty", "Empty"))
    try stage.open("Loops")
    try stage.tap("Loops/undo-2")
    #expect(try phone.wait { other.ask("/loop/2/state")?.arguments[2].number ?? 0 > 0 })
    other.send("/loop/2/stop")
    #expect(try shows("stopped", "Stop"))
    other.send("/loop/select", .int32(1))
    stage.check()
  }

  /// Cells have the scale's names, can be slid over, and grow while they sound; keys sound as well.
  func grid(_ stage: SurfaceStage) throws {
    let (phone, other) = (stage.phone, stage.other)
    other.send("/live/route", .string("off"))
    #expect(other.sync())
    try stage.open("Grid")
    let cells = try stage.control("Grid/cells")
    /// The contents of the visible cells, according to the node and on the phone.
    func told() throws -> [String: String] {
      other.send("/grid/layout")
      other.send("/sync", .int32(7))
      let cells = other.receive(untilOneOf: ["/synced"]).filter { $0.address == "/grid/cell" }
      return Dictionary(
        uniqueKeysWithValues: cells.map {
          let numbers = $0.arguments[..<2].map { Int($0.number ?? 0) }
          return ("\(numbers[0]) \(numbers[1])", $0.arguments[2].text ?? "")
        })
    }
    func shown() -> [String: String] {
      var result: [String: String] = [:]
      for label in cells.children where label.name.hasPrefix("name ") && phone.shows(label) {
        result[String(label.name.dropFirst(5))] = label.text
      }
      return result
    }
    func agrees() throws -> Bool {
      let names = try told()
      return try phone.wait { shown() == names }
    }
    #expect(try agrees())
    #expect(shown().count == 42)
    let frames = cells.children.filter { phone.shows($0) }.map(\.frame)
    #expect(frames.allSatisfy { cells.bounds.encloses($0) })

    let (first, second) = (
      try stage.control("cells/cell 1 2"), try stage.control("cells/cell 1 4")
    )
    let (small, smaller) = (first.frame, second.frame)
    // The chain's tail has decayed.
    try stage.probe.awaitBlock("the output is silent") { Measure.level($0[...]) < 1e-4 }
    let finger = try phone.touch(first)
    #expect(try phone.wait { first.frame.width > small.width })
    try stage.probe.awaitBlock("the cell sounds") { Measure.level($0[...]) > 1e-3 }
    try finger.slide(to: second)
    #expect(
      try phone.wait { first.frame == small && second.frame.width > smaller.width })
    // Also over the cell in between, which is released.
    #expect(
      phone.sent.filter { $0.address.hasPrefix("/grid/") }.map(\.address)
        == ["/grid/1/2", "/grid/1/2", "/grid/1/3", "/grid/1/3", "/grid/1/4"])
    try finger.lift()
    #expect(try phone.wait { second.frame == smaller })

    other.send("/grid/scale", .string("minor"))
    other.send("/grid/root", .string("E"))
    #expect(other.sync())
    #expect(try agrees())
    #expect(shown()["1 1"] == "E" && shown()["1 3"] == "G")
    other.send("/grid/names", .int32(0))
    #expect(other.sync())
    #expect(try phone.wait { shown().values.allSatisfy { $0 == "" } })
    other.send("/grid/names", .int32(1))
    for size in ["small", "large"] {
      other.send("/grid/size", .string(size))
      #expect(other.sync())
      #expect(try agrees(), "\(size)")
      for (place, _) in shown() {
        #expect(phone.canTouch(try stage.control("cells/cell \(place)")), "\(size) \(place)")
      }
    }

    try stage.open("Piano")
    phone.forget()
    for key in 1...7 {
      let button = try stage.control("Piano/key-\(key)/button")
      let finger = try phone.touch(button)
      if key == 3 {
        try stage.probe.awaitBlock("the key sounds") { Measure.level($0[...]) > 1e-3 }
      }
      try finger.lift()
    }
    // A velocity, and 0, for each of the seven.
    #expect(
      phone.sent.filter { $0.address.hasPrefix("/piano") }
        == (1...7).flatMap { key in
          [1, 0].map { Received("/piano/\(key)", [.float($0)]) }
        })
    for doing in ["recording", "playing", "stopped"] {
      let button = ["recording": "record", "playing": "play", "stopped": "stop"][doing]!
      try stage.tap("Piano/phrase-\(button)")
      #expect(try stage.reaches("/phrase/state", .string(doing)))
      if doing == "recording" {
        try phone.tap(try stage.control("Piano/key-5/button"))
        // Longer than the interval at which the node is queried.
        try phone.run(seconds: 1)
      }
    }
    for value in [1, 0] {
      try stage.tap("Piano/sustain")
      #expect(try stage.reaches("/grid/sustain", .int32(Int32(value))))
      // The same on another page.
      #expect(
        try phone.wait {
          try stage.isLit("Menu/sustain") == (value == 1)
            && stage.isLit("Piano/sustain") == (value == 1)
        })
    }
    let octave = try stage.number("/piano/octave")
    try phone.tap(try stage.control("Piano/octave/more"))
    #expect(try stage.reaches("/piano/octave", .int32(Int32(octave + 1))))
    stage.check()
  }
}
