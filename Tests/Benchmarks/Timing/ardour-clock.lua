-- ardour7-lua ardour-clock.lua FOLDER: a session that follows MIDI clock with its click on, and prints the
-- tempo of its map a hundred times a second: "tempo MICROSECONDS BPM".
AudioEngine:set_backend("JACK", "ardour", "")
local session = create_session(arg[1], "s", 48000)
assert(session and AudioEngine:running(), "no server")
ARDOUR.config():set_clicking(true)
session:cfg():set_external_sync(true)
sleep(1)
print("ready")
io.stdout:flush()
local function tempo()
  local map = Temporal.TempoMap.read()
  return map:tempo_at(Temporal.timepos_t(session:transport_sample())):quarter_notes_per_minute()
end
while true do
  print("tempo", ARDOUR.LuaAPI.monotonic_time(), tempo())
  io.stdout:flush()
  sleep(0.01)
end
