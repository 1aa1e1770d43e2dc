internal import Control
internal import Looks

/// The loops, and the user's own presets.
extension SessionBuilder {
  /// Builds a loop's large button with its playhead below.
  func slot(
    _ number: Int, _ use: AddressUse, _ control: SurfaceControl, _ id: String
  ) throws(SurfaceFault) -> Widget {
    let state = try table.reported("/loop/\(number)/state").path
    let loop = "OSC{\(state)} || ['empty', 0, 0, 0, '']"
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
                var loop = \(loop)
                var text = '\(number)  ' + words[loop[0]]
                if (loop[4]) text += ' → ' + words[loop[4]]
                else if (loop[3] > 0) text += ', ' + loop[3] + (loop[3] > 1 ? ' layers' : ' layer')
                return text
              }
              """)
          ), ("expand", 5),
          (
            "colorWidget",
            .text(
              """
              JS{
                var colors = {\(colors)}
                var loop = \(loop)
                return colors[loop[4] && VAR{isBlinkLit, 0} ? loop[4] : loop[0]]
              }
              """)
          ), ("alphaFillOff", .number(0.8)), ("address", .text(use.path)), ("typeTags", "f"),
          ("mode", "push"), ("on", 1), ("off", 0),
        ]),
      Widget(
        "fader", id: id + "/round",
        [
          ("horizontal", true), ("design", "compact"), ("expand", 1),
          ("interaction", false), ("address", "auto"), ("bypass", true),
          ("range", .object([("min", 0), ("max", 1)])),
          (
            "value",
            .text(
              """
              JS{
                var loop = \(loop)
                var size = OSC{\(try table.reported("/loops/size").path)} || [1, 10]
                var whole = loop[0] === 'recording' ? size[1] : loop[2]
                return whole > 0 ? Math.min(1, loop[1] / whole) : 0
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
      \(Self.onSecondPress(of: "name", is: "name", "send(\(act), {type: 's', value: String(name)})"))
      """
  }
}
