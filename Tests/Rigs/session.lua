ardour {
	["type"]    = "SessionInit",
	name        = "Session import",
	description = [[Imports a recorded session, with each file at its own time, and the tempo map]]
}

-- Ardour has no function for imports outside its editor. The rig replaces FOLDER, STEMS and the line MARKERS, by the
-- session's script. The track "imported" tells the rig that all is done.
function factory () return function ()
	local own_time = Temporal.timepos_t.max (Temporal.TimeDomain.AudioTime)
	local files, midi = C.StringVector (), C.StringVector ()
	for name in ("STEMS"):gmatch ("%S+") do
		files:push_back ("FOLDER/" .. name .. ".wav")
	end
	midi:push_back ("FOLDER/session.mid")
	Editor:do_import (files, Editing.ImportDistinctFiles, Editing.ImportAsTrack, ARDOUR.SrcQuality.SrcBest,
		ARDOUR.MidiTrackNameSource.SMFTrackName, ARDOUR.MidiTempoMapDisposition.SMFTempoIgnore,
		own_time, ARDOUR.PluginInfo (), ARDOUR.Track (), true)
	Editor:do_import (midi, Editing.ImportDistinctFiles, Editing.ImportAsTrack, ARDOUR.SrcQuality.SrcBest,
		ARDOUR.MidiTrackNameSource.SMFTrackName, ARDOUR.MidiTempoMapDisposition.SMFTempoUse,
		Temporal.timepos_t (0), ARDOUR.PluginInfo (), ARDOUR.Track (), true)
	local ardour, factory = function () end
MARKERS
	factory () ()
	-- The markers are added once only.
	factory () ()
	Session:new_audio_track (1, 2, nil, 1, "imported", ARDOUR.PresentationInfo.max_order,
		ARDOUR.TrackMode.Normal, true)
	Session:save_state ("")
end end
