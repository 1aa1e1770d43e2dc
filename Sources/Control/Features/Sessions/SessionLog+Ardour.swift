/// The markers for Ardour, which imports none from sound or MIDI files into its timeline.
extension SessionLog {
  /// A script for Ardour's editor that adds the markers to a session with the imported files.
  ///
  /// Ardour allows one marker per frame, so that markers on the same frame become one.
  func ardourScript(title: String) -> String {
    var names: [Int: [String]] = [:]
    for marker in markers { names[marker.frame, default: []].append(marker.name) }
    let rows = names.sorted { $0.key < $1.key }.map { frame, names in
      "\t\t{\(frame), \(Self.quoted(names.joined(separator: ", ")))},\n"
    }
    return """
      ardour {
      \t["type"]    = "EditorAction",
      \tname        = \(Self.quoted("Markers of \(title)")),
      \tauthor      = "Syrinx",
      \tdescription = [[Adds the markers of a recorded session, which begins with the selected region, or else with the region "out"]]
      }

      function factory () return function ()
      \tlocal rate = \(rate)
      \tlocal markers = {
      \(rows.joined())\t}

      \tlocal start
      \tlocal function begin_with (region)
      \t\tstart = start or region:position ():samples () - region:start ():samples ()
      \tend
      \tfor region in Editor:get_selection ().regions:regionlist ():iter () do begin_with (region) end
      \tfor track in Session:get_tracks ():iter () do
      \t\tfor region in track:to_track ():playlist ():region_list ():iter () do
      \t\t\tif region:name () == "out" then begin_with (region) end
      \t\tend
      \tend

      \tlocal function mark_at (frame)
      \t\tfor location in Session:locations ():list ():iter () do
      \t\t\tif location:is_mark () and location:start ():samples () == frame then return location end
      \t\tend
      \tend
      \tfor _, marker in ipairs (markers) do
      \t\tlocal frame = (start or 0) + math.floor (marker[1] * Session:nominal_sample_rate () / rate + 0.5)
      \t\tif not mark_at (frame) then
      \t\t\tEditor:mouse_add_new_marker (Temporal.timepos_t (frame), ARDOUR.LocationFlags.IsMark, 0)
      \t\t\tlocal added = mark_at (frame)
      \t\t\tif added then added:set_name (marker[2]) end
      \t\tend
      \tend
      end end

      """
  }

  private static func quoted(_ text: String) -> String {
    var quoted = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"", "\\": quoted += "\\\(scalar)"
      case "\0"..<" ", "\u{7f}":
        quoted += "\\\(scalar.value / 100)\(scalar.value / 10 % 10)\(scalar.value % 10)"
      default: quoted.unicodeScalars.append(scalar)
      }
    }
    return quoted + "\""
  }
}
