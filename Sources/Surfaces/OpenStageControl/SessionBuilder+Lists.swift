internal import Control

/// The rows of takes and posts.
extension SessionBuilder {
  // A row: its text, and buttons with scripts.
  private func row(_ id: String, wraps: Bool, _ buttons: Widget...) -> Widget {
    var line = panel(id + "/panel", "horizontal", part: 1)
    let wrap: Properties = wraps ? [("wrap", true)] : []
    line.widgets = [Widget("text", id: id, [("expand", 4)] + Self.isolated + wrap)] + buttons
    return line
  }

  private func button(
    _ id: String, _ label: (String, Widget.Value), _ script: String,
    _ accent: SurfaceControl.Accent
  ) -> Widget {
    scripted(id, script, [label], [("expand", 1), ("colorWidget", .text(css(accent.color)))])
  }

  // The label of a button that plays a row's sound, or stops it.
  private static let playOrStop: (String, Widget.Value) = (
    "label", .text("#{VAR{isPlaying, 0} ? \"Stop\" : \"Play\"}")
  )

  // The end of a script that labels these buttons: which of `rows` plays is in `playing`.
  private static func label(_ rows: String, _ prefix: String, count: Int, _ playing: String)
    -> String
  {
    """
    for (var row = 1; row <= \(count); row++) {
      var item = (\(rows) || [])[row - 1]
      setVar(`\(prefix)${row}/play`, 'isPlaying', item && item[0] === \(playing) ? 1 : 0)
    }
    """
  }

  private static let labelTakes = label(
    "globals.shown", "Takes/take-", count: SurfaceScreen.takes, "globals.takePlaying")
  private static let labelPosts = label(
    "globals.posts", "Feed/post-", count: SurfaceScreen.posts, "globals.postPlaying")

  func take(_ row: Int, _ id: String) throws(SurfaceFault) -> Widget {
    let take = "var take = (globals.shown || [])[\(row - 1)]\n"
    func named(_ path: String) throws(SurfaceFault) -> String {
      take + """
        var title = get('Takes/title')
        // As text, also if it looks like a number.
        if (take && title !== undefined && title !== '') {
          send(\(try quoted(path)), take[0], {type: 's', value: String(title)})
        }
        """
    }
    var line = self.row(
      id, wraps: false,
      button(
        id + "/play", Self.playOrStop,
        take + """
          if (take && take[0] === globals.takePlaying) send(\(try quoted("/take/stop")))
          else if (take) send(\(try quoted("/take/play")), take[0])
          """, .play),
      button(id + "/name", ("label", "Title"), try named("/take/title"), .plain),
      button(id + "/species", ("label", "Species"), try named("/take/species"), .plain),
      button(
        id + "/delete", Self.armed("Delete"),
        take
          + Self.onSecondPress(
            of: "take", is: "take[0]", "send(\(try quoted("/take/delete")), take[0])"), .danger))
    if row == 1 {
      line.widgets += [
        listener(
          "received-take", try table.reported("/take").path,
          "if (globals.rows) globals.rows.push(value)\nelse globals.wantsTakes = true"),
        listener(
          "received-takes", try table.reported("/takes/end").path,
          """
          globals.shown = globals.rows || []
          globals.rows = undefined
          if (globals.shown.length === 0 && globals.offset > 0) {
            globals.offset = Math.max(0, globals.offset - \(SurfaceScreen.takes))
            globals.wantsTakes = true
          }
          for (var row = 1; row <= \(SurfaceScreen.takes); row++) {
            var take = globals.shown[row - 1]
            var words = take ? [take[1], take[3].slice(0, 16), take[2]] : []
            if (take && !isNaN(take[5])) words.push(take[5].toFixed(3) + ', ' + take[6].toFixed(3))
            set('Takes/take-' + row, words.filter((word) => word !== '').join('  '))
          }

          """ + Self.labelTakes),
        listener(
          "received-take-playing", try table.reported("/take/playing").path,
          "globals.takePlaying = value\n" + Self.labelTakes),
        listener(
          "received-total", try table.reported("/takes/total").path,
          "globals.wantsTakes = true"),
      ]
    }
    return line
  }

  /// The script of a button of the feed.
  func posts(_ words: String) throws(SurfaceFault) -> String {
    switch words {
    case "posts clip": "send(\(try quoted("/feed/post/clip")), {type: 's', value: ''})"
    case "posts stop": "send(\(try quoted("/feed/stop")))"
    case "posts older":
      """
      var last = (globals.posts || [])[(globals.posts || []).length - 1]
      if (last) {
        globals.newer = [...(globals.newer || []), globals.before || 0]
        globals.before = last[0]
      }
      globals.wantsPosts = true
      """
    default:
      """
      globals.before = (globals.newer || []).pop() || 0
      globals.wantsPosts = true
      """
    }
  }

  func post(_ row: Int, _ id: String) throws(SurfaceFault) -> Widget {
    func script(_ path: String) throws(SurfaceFault) -> String {
      """
      var post = (globals.posts || [])[\(row - 1)]
      if (post && post[4] >= 0) send(\(try quoted(path)), {type: 'i', value: post[0]})
      """
    }
    var line = self.row(
      id, wraps: true,
      button(
        id + "/play", Self.playOrStop,
        "var post = (globals.posts || [])[\(row - 1)]\n"
          + "if (post && post[0] === globals.postPlaying) send(\(try quoted("/feed/stop")))\nelse {\n"
          + (try script("/feed/play")) + "\n}", .play),
      button(id + "/keep", ("label", "Keep"), try script("/feed/keep"), .plain))
    if row == 1 {
      line.widgets += [
        listener(
          "received-post", try table.reported("/post").path,
          "if (globals.arriving) globals.arriving.push(value)\nelse if (!globals.before) globals.wantsPosts = true"
        ),
        listener(
          "received-posts", try table.reported("/feed/end").path,
          """
          if (globals.arriving && (globals.arriving.length > 0 || !globals.before)) {
            globals.posts = globals.arriving
          } else if (globals.arriving) {
            globals.before = (globals.newer || []).pop() || 0
          }
          globals.arriving = undefined
          for (var row = 1; row <= \(SurfaceScreen.posts); row++) {
            var post = (globals.posts || [])[row - 1]
            set('Feed/post-' + row, post ? post[1] + '  ' + post[2].slice(0, 16).replace('T', ' ') + '  ' + post[3] : '')
          }

          """ + Self.labelPosts),
        listener(
          "received-post-playing", try table.reported("/feed/playing").path,
          "globals.postPlaying = value\n" + Self.labelPosts),
        listener(
          "received-deleted", try table.reported("/feed/deleted").path, "globals.wantsPosts = true"),
        listener(
          "received-board", try table.reported("/feed/board").path,
          "globals.before = 0\nglobals.newer = []\nglobals.wantsPosts = true"),
      ]
    }
    return line
  }
}
