import Foundation
import OSC
import TestSupport
import Testing

extension NodeTests.SurfaceTests {
  /// An effect is one press, and a fader under a finger stays where that is.
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
    // What comes while no finger is there, moves it.
    other.send("/pitch/semitones", .float(3))
    #expect(try phone.wait { abs(pitch.x - 27.0 / 48) < 1e-6 })
    #expect(try !stage.isLit("Voice/pitch-none"))
    try stage.tap("Voice/pitch-none")
    #expect(try stage.reaches("/pitch/semitones", .float(0)))
    #expect(try phone.wait { try stage.isLit("Voice/pitch-none") })

    // Faders by ratios as well: what the label says is what the node has.
    for (name, address) in [("rate", "/stretch/rate"), ("echo-time", "/echo/time")] {
      let fader = try stage.control("Voice/\(name)/fader")
      let finger = try phone.touch(fader, at: fader.point(0.3, 0.5))
      try phone.run(seconds: 0.1)
      let value = try stage.number(address)
      try finger.lift()
      try phone.run(seconds: 0.2)
      let shown = SurfaceStage.number(in: try stage.control("Voice/\(name)/value").text)
      #expect(abs(try #require(shown) - value) < 0.006, "\(name)")
      // The answer to the question at the end comes back to the same place.
      #expect(abs(fader.x - 0.3) < 1e-4)
    }
    for (name, address) in [("echo-on", "/echo/on"), ("mute", "/mute")] {
      let before = try stage.number(address)
      try stage.tap("Voice/\(name)")
      #expect(try stage.reaches(address, .int32(Int32(1 - before))))
      #expect(try phone.wait { try stage.isLit("Voice/\(name)") == (before == 0) })
      other.send(address, .int32(Int32(before)))
      #expect(try phone.wait { try stage.isLit("Voice/\(name)") == (before == 1) })
    }
    stage.check()
  }

  /// What can be pressed of the loop is lit, all else is dim.
  func loop(_ stage: SurfaceStage) throws {
    let (phone, other) = (stage.phone, stage.other)
    try stage.open("Loop")
    let names = ["record", "play", "stop", "rewind", "forward", "done"]
    func checkLights(_ doing: String, sourceLocation: SourceLocation = #_sourceLocation) throws {
      #expect(
        try phone.wait(seconds: 2) { other.ask("/player/state")?.arguments[0] == .string(doing) },
        sourceLocation: sourceLocation)
      let told = try #require(other.ask("/player/controls")).arguments
      let flags = told[..<6].map { $0 == .int32(1) }
      #expect(
        try phone.wait(seconds: 2) { try names.map { try stage.isLit("Loop/\($0)") } == flags },
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
    // Of no loop nothing can be kept.
    #expect(try phone.wait { try !phone.canTouch(stage.control("Loop/keep/button")) })
    try stage.tap("Loop/record")
    try checkLights("recording")
    #expect(try stage.control("Loop/record/caption").text == "Stop")
    try phone.run(seconds: 0.6)
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
    for (name, address, words) in [
      ("source", "/player/source", ["grid", "mix", "live"]),
      ("quantize", "/loop/quantize", ["beat", "bar", "off"]),
    ] {
      for word in words {
        try stage.tap("Loop/\(name)-\(word)")
        #expect(try stage.reaches(address, .string(word)))
        #expect(try phone.wait { try stage.isLit("Loop/\(name)-\(word)") })
      }
    }
    for value in [0, 1] {
      try stage.tap("Loop/repeat")
      #expect(try stage.reaches("/player/loop", .int32(Int32(value))))
    }
    #expect(try stage.isLit("Loop/keep") && stage.isLit("Loop/clear"))
    let clear = try stage.control("Loop/clear/button")
    let thumb = try phone.touch(clear)
    #expect(try phone.wait { other.ask("/player/state")?.arguments[3] == .float(0) })
    #expect(try phone.wait { !phone.canTouch(clear) })
    // The finger that is still on it is not seen to go: what it holds is let go of before.
    #expect(clear.x == 0)
    try thumb.lift()
    // That is undone as well.
    try stage.tap("Loop/undo")
    #expect(try phone.wait { try stage.isLit("Loop/clear") && phone.canTouch(clear) })
    stage.check()
  }

  /// Cells have the scale's names, are slid over, and grow while they sound; keys sound as well.
  func grid(_ stage: SurfaceStage) throws {
    let (phone, other) = (stage.phone, stage.other)
    other.send("/live/route", .string("off"))
    #expect(other.sync())
    try stage.open("Grid")
    let cells = try stage.control("Grid/cells")
    /// What stands in the cells that are seen, as the node says and as the phone shows.
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
      return try phone.wait(seconds: 2) { shown() == names }
    }
    #expect(try agrees())
    #expect(shown().count == 42)
    let frames = cells.children.filter { phone.shows($0) }.map(\.frame)
    #expect(frames.allSatisfy { cells.bounds.encloses($0) })

    let (first, second) = (
      try stage.control("cells/cell 1 2"), try stage.control("cells/cell 1 4")
    )
    let (small, smaller) = (first.frame, second.frame)
    // What was still in the chain is heard no more.
    try phone.run(seconds: 0.1)
    let quiet = Measure.level(stage.probe.record(seconds: 0.05).samples)
    #expect(quiet < 1e-4)
    let finger = try phone.touch(first)
    #expect(try phone.wait { first.frame.width > small.width })
    try phone.run(seconds: 0.2)
    #expect(Measure.level(stage.probe.record(seconds: 0.1).samples) > 1e-3)
    try finger.slide(to: second)
    #expect(
      try phone.wait { first.frame == small && second.frame.width > smaller.width })
    // Over the cell between them as well, which is let go of.
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
    #expect(try phone.wait(seconds: 2) { shown().values.allSatisfy { $0 == "" } })
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
        try phone.run(seconds: 0.2)
        #expect(Measure.level(stage.probe.record(seconds: 0.1).samples) > 1e-3)
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
        // Longer than the node takes to be asked what it does.
        try phone.run(seconds: 1)
      }
    }
    for value in [1, 0] {
      try stage.tap("Piano/sustain")
      #expect(try stage.reaches("/grid/sustain", .int32(Int32(value))))
      // The same is on another page.
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
