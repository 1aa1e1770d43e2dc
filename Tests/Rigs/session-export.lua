-- Exports the stems of an imported session minus its mix, or the stems alone.
--
--   ardour7-lua session-export.lua SESSION FOLDER null|sum
--
-- Writes NAME.wav of 16 bits into FOLDER, named by the last argument.

local wav = "75969a1c-3133-4694-864b-a1fa50e43348" -- Ardour's own preset: WAV at the session's rate

AudioEngine:set_backend("None (Dummy)", "", "")
AudioEngine:set_sample_rate(48000)
local session = assert(load_session(arg[1], "ardour"), "can't load the session")
local first, length
local muted = {["in"] = true, imported = true}
if arg[3] == "sum" then muted.out = true end
for route in session:get_tracks():iter() do
  local name, audio = route:name(), not route:to_track():to_audio_track():isnil()
  if muted[name] or not audio then
    route:mute_control():set_value(1, PBD.GroupControlDisposition.NoGroup)
  else
    for region in route:to_track():playlist():region_list():iter() do
      region:to_audioregion():set_fade_in_active(false)
      region:to_audioregion():set_fade_out_active(false)
      first, length = region:position():samples(), region:length():samples()
    end
    -- A mono track has a pan law; without its panner it is on both sides.
    if route:n_inputs():n_audio() == 1 then route:panner_shell():set_bypassed(true) end
    for side = 0, 1 do
      if name == "out" then route:phase_control():set_phase_invert(side, true) end
      assert(route:output():nth(side):connect("Master/audio_in " .. side + 1) == 0, "can't connect " .. name)
    end
  end
end
local export = session:simple_export()
export:set_name(arg[3])
export:set_folder(arg[2])
export:set_range(first, first + length)
assert(export:set_preset(wav), "unknown preset")
assert(export:run_export(), "the export fails")
close_session()
print("exported")
