internal import Control

/// The rows of takes and posts.
extension SessionBuilder {
  func take(_ row: Int, _ id: String) throws(SurfaceFault) -> Widget {
    var line = panel(id + "/panel", "horizontal", part: 1)
    func act(_ name: String, _ caption: String, _ script: String, _ accent: SurfaceControl.Accent)
      -> Widget
    {
      Widget(
        "button", id: "\(id)/\(name)",
        [
          ("label", .text(caption)), ("mode", .text("momentary")), ("bypass", .flag(true)),
          ("expand", .number(1)), ("colorWidget", .text(css(accent.color))),
          ("onValue", .text("var take = (globals.shown || [])[\(row - 1)]\n" + script)),
        ])
    }
    line.widgets = [
      Widget(
        "text", id: id,
        [("expand", .number(4)), ("address", .text("auto")), ("bypass", .flag(true))]),
      act("play", "Play", "if (take) send(\(try quoted("/take/play")), take[0])", .play),
      act(
        "name", "Title",
        """
        var title = get('Takes/title')
        // As text, also if it looks like a number.
        if (take && title !== undefined && title !== '') {
          send(\(try quoted("/take/title")), take[0], {type: 's', value: String(title)})
        }
        """,
        .plain),
      act(
        "delete", "#{VAR{isArmed, 0} ? \"Again?\" : \"Delete\"}",
        """
        var now = Date.now()
        if (take && locals.armed === take[0] && now - locals.since < 3000) {
          locals.armed = undefined
          setVar('this', 'isArmed', 0)
          send(\(try quoted("/take/delete")), take[0])
        } else if (take) {
          locals.armed = take[0]
          locals.since = now
          setVar('this', 'isArmed', 1)
          setTimeout(() => { setVar('this', 'isArmed', 0) }, 3000)
        }
        """, .danger),
    ]
    if row == 1 {
      line.widgets += [
        listener(
          "heard-take", try table.heard("/take").path,
          "if (globals.rows) globals.rows.push(value)\nelse globals.wantsTakes = true"),
        listener(
          "heard-takes", try table.heard("/takes/end").path,
          """
          globals.shown = globals.rows || []
          globals.rows = undefined
          if (globals.shown.length === 0 && globals.offset > 0) {
            globals.offset = Math.max(0, globals.offset - \(SurfaceScreen.takes))
            globals.wantsTakes = true
          }
          for (var row = 1; row <= \(SurfaceScreen.takes); row++) {
            var take = globals.shown[row - 1]
            set('Takes/take-' + row, take ? take[1] + '  ' + take[3].slice(0, 16) : '')
          }
          """),
        listener(
          "heard-total", try table.heard("/takes/total").path,
          "globals.wantsTakes = true"),
      ]
    }
    return line
  }

  /// The script of a button of the feed.
  func posts(_ words: String) throws(SurfaceFault) -> String {
    switch words {
    case "posts clip": "send(\(try quoted("/feed/post/clip")), {type: 's', value: ''})"
    case "posts older":
      """
      var last = (globals.posts || [])[(globals.posts || []).length - 1]
      globals.before = last ? last[0] : 0
      globals.wantsPosts = true
      """
    default:
      """
      globals.before = 0
      globals.wantsPosts = true
      """
    }
  }

  func post(_ row: Int, _ id: String) throws(SurfaceFault) -> Widget {
    var line = panel(id + "/panel", "horizontal", part: 1)
    func act(
      _ name: String, _ caption: String, _ path: String, _ accent: SurfaceControl.Accent
    ) throws(SurfaceFault) -> Widget {
      Widget(
        "button", id: "\(id)/\(name)",
        [
          ("label", .text(caption)), ("mode", .text("momentary")), ("bypass", .flag(true)),
          ("expand", .number(1)), ("colorWidget", .text(css(accent.color))),
          (
            "onValue",
            .text(
              """
              var post = (globals.posts || [])[\(row - 1)]
              if (post && post[4] >= 0) send(\(try quoted(path)), {type: 'i', value: post[0]})
              """)
          ),
        ])
    }
    line.widgets = [
      Widget(
        "text", id: id,
        [
          ("expand", .number(4)), ("address", .text("auto")), ("bypass", .flag(true)),
          ("wrap", .flag(true)),
        ]),
      try act("play", "Play", "/feed/play", .play),
      try act("keep", "Keep", "/feed/keep", .plain),
    ]
    if row == 1 {
      line.widgets += [
        listener(
          "heard-post", try table.heard("/post").path,
          "if (globals.arriving) globals.arriving.push(value)\nelse if (!globals.before) globals.wantsPosts = true"
        ),
        listener(
          "heard-posts", try table.heard("/feed/end").path,
          """
          if (globals.arriving && (globals.arriving.length > 0 || !globals.before)) {
            globals.posts = globals.arriving
          }
          globals.arriving = undefined
          for (var row = 1; row <= \(SurfaceScreen.posts); row++) {
            var post = (globals.posts || [])[row - 1]
            set('Feed/post-' + row, post ? post[1] + '  ' + post[2].slice(0, 16).replace('T', ' ') + '  ' + post[3] : '')
          }
          """),
        listener(
          "heard-deleted", try table.heard("/feed/deleted").path, "globals.wantsPosts = true"),
        listener(
          "heard-board", try table.heard("/feed/board").path,
          "globals.before = 0\nglobals.wantsPosts = true"),
      ]
    }
    return line
  }
}
