internal import Control
internal import Looks

/// The loops, and the user's own presets.
extension SessionBuilder {
  /// Builds a loop's large button with its playhead below.
  func slot(
    _ number: Int, _ use: AddressUse, _ control: SurfaceControl, _ id: String
  ) throws(SurfaceFault) -> Widget {
    let state = try table.heard("/loop/\(number)/state").path
    let told = "OSC{\(state)} || ['empty', 0, 0, 0, '']"
    var column = panel(id + "/panel", "vertical", part: control.width)
    let words = LoopLook.all.map { "\($0.state): '\($0.word)'" }.joined(separator: ", ")
    let colors = LoopLook.all.map { "\($0.state): '\(css($0.face))'" }.joined(separator: ", ")
    column.widgets = [
      listener(
        id + "/queued", state,
        """
        globals.queued = globals.queued || {}
        if (value[4]) globals.queued['\(id)'] = true
        else {
          delete globals.queued['\(id)']
          setVar('\(id)', 'isBlinkLit', 0)
        }
        """),
      Widget(
        "button", id: id,
        [
          (
            "label",
            .text(
              """
              JS{
                var words = {\(words)}
                var told = \(told)
                var text = '\(number)  ' + words[told[0]]
                if (told[4]) text += ' → ' + words[told[4]]
                else if (told[3] > 0) text += ', ' + told[3] + (told[3] > 1 ? ' layers' : ' layer')
                return text
              }
              """)
          ), ("expand", .number(5)),
          (
            "colorWidget",
            .text(
              """
              JS{
                var colors = {\(colors)}
                var told = \(told)
                return colors[told[4] && VAR{isBlinkLit, 0} ? told[4] : told[0]]
              }
              """)
          ), ("alphaFillOff", .number(0.8)), ("address", .text(use.path)), ("typeTags", .text("f")),
          ("mode", .text("push")), ("on", .number(1)), ("off", .number(0)),
        ]),
      Widget(
        "fader", id: id + "/round",
        [
          ("horizontal", .flag(true)), ("design", .text("compact")), ("expand", .number(1)),
          ("interaction", .flag(false)), ("address", .text("auto")), ("bypass", .flag(true)),
          ("range", .object([("min", .number(0)), ("max", .number(1))])),
          (
            "value",
            .text(
              """
              JS{
                var told = \(told)
                var size = OSC{\(try table.heard("/loops/size").path)} || [1, 10]
                var whole = told[0] === 'recording' ? size[1] : told[2]
                return whole > 0 ? Math.min(1, told[1] / whole) : 0
              }
              """)
          ),
        ]),
    ]
    return column
  }

  /// The script of a button that saves a preset or deletes the loaded one, on a second press within
  /// three seconds.
  func preset(_ words: String) throws(SurfaceFault) -> String {
    let index = words.split(separator: " ").last.flatMap { Int($0) } ?? 0
    let name =
      index > 0 ? "'\(SurfaceControl.ownPresets[index - 1])'" : "globals.preset"
    let act = try quoted(index > 0 ? "/preset/save" : "/preset/delete")
    return """
      var name = \(name)
      var now = Date.now()
      if (name && locals.armed === name && now - locals.since < 3000) {
        locals.armed = undefined
        setVar('this', 'isArmed', 0)
        send(\(act), {type: 's', value: String(name)})
      } else if (name) {
        locals.armed = name
        locals.since = now
        setVar('this', 'isArmed', 1)
        setTimeout(() => { setVar('this', 'isArmed', 0) }, 3000)
      }
      """
  }
}
