/// The panels of levels, effects and the player.
extension NodeScreen {
  private static let channels = [("in", 0), ("live", 2), ("loop", 4), ("grid", 6), ("out", 8)]

  /// Draws the mixer: levels, gains, routes and limiter.
  mutating func drawMixer(_ area: Area) {
    title("Levels", area)
    // Besides both bars: name, two levels, gain, route.
    let width = max(1, (area.columns - 39) / 2)
    let levels = 9 + 2 * width
    put(" dB ", area, row: 0, column: levels + 4, style: .dim)
    put(" gain ", area, row: 0, column: levels + 16, style: .dim)
    put(" route ", area, row: 0, column: levels + 23, style: .dim)
    for (index, (name, channel)) in Self.channels.enumerated() {
      // The songs have no meter.
      let row = index + (name == "out" ? 2 : 1)
      put(name, area, row: row, column: 1)
      for side in 0..<2 {
        let meter = picture.meters[channel + side]
        draw(meter, area, row: row, column: 7 + side * (width + 1), width: width)
        put(Figure.level(meter.peak), area, row: row, column: levels + side * 7)
      }
      put(filled("{/\(name)/gain +6.1}"), area, row: row, column: levels + 15)
      if !["in", "out"].contains(name) {
        put(word("/\(name)/route"), area, row: row, column: levels + 24, width: 6)
      }
    }
    if picture.meters[0].isClipped || picture.meters[1].isClipped {
      put("CLIP", area, row: 1, column: levels + 24, style: .alarm)
    }
    if picture.isOn("/mute") { put("muted", area, row: 6, column: levels + 24, style: .alarm) }
    drawSong(area, row: 5, gains: levels + 15)
    drawLimiter(area, row: 7, width: width, levels: levels)
  }

  private mutating func drawSong(_ area: Area, row: Int, gains: Int) {
    put("music", area, row: row, column: 1)
    let state = word("/music/state")
    put(state, area, row: row, column: 7, style: state == "playing" ? Style(color: .green) : .dim)
    if let number = picture.number("/music/state", 1), number > 0 {
      let (title, artist) = (word("/music/state", 2), word("/music/state", 3))
      let name = artist.isEmpty ? title : "\(artist) - \(title)"
      put(
        "\(Figure.fixed(number, width: 3)) \(name)", area, row: row, column: 15,
        width: gains - 15 - 20)
      let times = [4, 5].map {
        Figure.duration(picture.number("/music/state", $0)).split(separator: " ").joined()
      }
      put(Figure.right(times.joined(separator: "/"), 17), area, row: row, column: gains - 18)
    }
    put(filled("{/music/gain +6.1}"), area, row: row, column: gains)
    put(word("/music/route"), area, row: row, column: gains + 9, width: 6)
  }

  private mutating func drawLimiter(_ area: Area, row: Int, width: Int, levels: Int) {
    put("limit", area, row: row, column: 1)
    // Full scale is 20 dB.
    let reduction = picture.limiter.level.map { Double($0) / 20 }
    draw(share: reduction, area, row: row, column: 7, width: 2 * width + 1)
    let isActive = picture.limiter.peak ?? 0 > 0.05
    put(
      Figure.fixed(picture.limiter.peak.map(Double.init), places: 1, width: 6), area, row: row,
      column: levels, style: isActive ? Style(color: .yellow) : .plain)
    if isActive {
      put("reduction", area, row: row, column: levels + 8, style: Style(color: .yellow))
    }
  }

  /// Draws the chain: the effects and their settings.
  mutating func drawChain(_ area: Area) {
    let preset = picture.word("/preset").map { $0.isEmpty ? "" : "  \($0)" } ?? ""
    title("Chain\(picture.isOn("/chain/bypass") ? " (bypassed)" : "")\(preset)", area)
    let column = 13
    let beats = picture.number("/echo/beats") ?? 0
    let time = beats > 0 ? beats : picture.number("/echo/time")
    let places = time ?? 0 < 9.9995 ? 3 : 2
    let delay = "\(Figure.fixed(time, places: places, width: 5)) \(beats > 0 ? "b" : "s")"
    let hold = picture.isOn("/echo/hold") ? " hold" : ""
    let effects = [
      ("pitch", 1, "{/pitch/semitones +5.1} st form {/pitch/formant +5.1} {/pitch/engine}"),
      ("stretch", 2, "{/stretch/rate 5.3} x  pitch mix {/pitch/mix 4.2}"),
      ("echo", 3, "\(delay) feedback {/echo/feedback 4.2}\(hold)"),
      ("reverb", 5, "{/reverb/decay 5.2} s size {/reverb/size 4.2} mix {/reverb/mix 4.2}"),
    ]
    for (name, row, values) in effects {
      putSwitch(name, "/\(name)/on", area, row: row)
      put(filled(values), area, row: row, column: column)
    }
    let echo = filled("{/echo/tone 5} Hz spread {/echo/spread 4.2} mix {/echo/mix 4.2}")
    put(echo, area, row: 4, column: column - 3)
    let reverb = filled("{/reverb/damping 5} Hz predelay {/reverb/predelay 5.3} s")
    put(reverb, area, row: 6, column: column)
  }

  /// Draws the player, its loop, and its enabled buttons.
  mutating func drawPlayer(_ area: Area) {
    title("Player", area)
    if picture.loopCount > 1 { putLoops(area, row: 0, column: 11) }
    let state = word("/player/state")
    let color: Style.Color? =
      switch state {
      case "recording": .red
      case "playing": .green
      default: nil
      }
    put(state, area, row: 1, column: 1, style: Style(isBold: true, color: color))
    put(word("/player/state", 1), area, row: 1, column: 12, width: 8, style: .dim)
    put(filled("overdubs {/player/state:4 3}"), area, row: 1, column: 21)
    let (position, length) = (
      picture.number("/player/state", 2), picture.number("/player/state", 3) ?? 0
    )
    let width = max(0, area.columns - 19)
    let share = length > 0 ? position.map { $0 / length } : 0
    draw(share: share, area, row: 2, column: 1, width: width)
    put(playerTime, area, row: 2, column: width + 2)
    drawControls(area, row: 3)
    let isRound = picture.number("/player/loop").map { $0 != 0 ? "loop" : "once" }
    let direction = picture.number("/player/direction").map { $0 < 0 ? "rev" : "fwd" }
    put(
      "from \(Figure.left(word("/player/source"), 4)) \(Figure.left(isRound ?? "-", 5)) "
        + "\(Figure.left(direction ?? "-", 4))", area, row: 4, column: 1)
    if let next = picture.word("/player/next"), !next.isEmpty {
      let seconds = picture.number("/player/next", 1).flatMap { $0 >= 0 ? $0 : nil }
      put(
        "\(Figure.left(next, 8))\(Figure.fixed(seconds, places: 1, width: 4)) s", area, row: 4,
        column: 22, style: Style(color: .yellow))
    }
    let loop = filled(
      "{/loop/semitones +5.1} st {/loop/rate 5.3} x feedback {/loop/feedback 4.2} {/loop/engine}")
    put(loop, area, row: 5, column: 1)
    let beats = picture.number("/loop/beats").map { $0 > 0 ? $0 : .nan }
    let threshold = picture.number("/loop/threshold").map { $0 > -90 ? $0 : .nan }
    put(
      "quant \(Figure.left(word("/loop/quantize"), 4)) beats \(Figure.fixed(beats, places: 1, width: 4)) "
        + "threshold \(Figure.fixed(threshold, places: 0, width: 3)) dB", area, row: 6, column: 1)
  }

  private mutating func drawControls(_ area: Area, row: Int) {
    let controls = [("rec", 3), ("play", 5), ("stop", 4), ("rew", 3), ("fwd", 3), ("done", 5)]
    put("press", area, row: row, column: 1)
    var column = 7
    for (index, (usual, width)) in controls.enumerated() {
      let icon = word("/player/controls", index + 6)
      // A button whose action has changed shows it.
      let isOther = ["pause", "close"].contains(icon)
      let word = isOther ? icon : index == 0 && icon == "stop" ? "end" : usual
      let isEnabled = picture.number("/player/controls", index).map { $0 != 0 } ?? false
      let text = isEnabled ? word : String(repeating: "-", count: word.count)
      put(text, area, row: row, column: column, style: isEnabled ? .bold : .dim)
      column += width + 1
    }
  }
}
