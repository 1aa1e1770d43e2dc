-- Records takes of the node in Ardour, and prints their latencies and regions as lines of fields
-- separated by tabs.
--
--   ardour7-lua ardour.lua SESSION CLICKS NODE TAKES
--
-- CLICKS and NODE are JACK clients. TAKES is a file with one take per line: its name, a shell command
-- to run before it, one to run while the transport rolls, its duration in seconds, and the node's
-- input: `clicks`, or `dry`, which is Ardour's own track of the first take, played at its position.

local folder, clicks, node, list = arg[1], arg[2], arg[3], arg[4]
local apart = 10.1 -- seconds between the starts of two takes: not a whole number of beats

local function tell(...) print(table.concat({...}, "\t")) io.stdout:flush() end

local function shell(command)
  -- Other programs must not load Ardour's own libraries.
  if command ~= "" then
    assert(os.execute("unset LD_LIBRARY_PATH; " .. command), "failed: " .. command)
  end
end

-- Ardour would query connections in one thread and ports in another, and libjack mixes up the
-- replies: "JACK server has been closed".
ARDOUR.config():set_input_auto_connect(ARDOUR.AutoConnectOption.ManualConnect)
ARDOUR.config():set_output_auto_connect(ARDOUR.AutoConnectOption.ManualConnect)
-- Ardour adds xrun markers while other threads read the list of markers.
ARDOUR.config():set_create_xrun_marker(false)
AudioEngine:set_backend("JACK", "ardour", "")
local session = create_session(folder, "rig", 48000)
if not session or not AudioEngine:running() then
  tell("lost")
  os.exit(3)
end
session:cfg():set_external_sync(true)

local last, mode = ARDOUR.PresentationInfo.max_order, ARDOUR.TrackMode.Normal
local inputs = {
  {"dry", clicks .. ":out"}, {"out", node .. ":out_1"}, {"live", node .. ":live_1"},
  {"grid", node .. ":grid_1"}, {"click", node .. ":click"},
}
local tracks = {}
for _, input in ipairs(inputs) do
  for track in session:new_audio_track(1, 2, nil, 1, input[1], last, mode, true):iter() do
    table.insert(tracks, {name = input[1], from = input[2], track = track})
  end
  sleep(0.3)
end
local one = ARDOUR.ChanCount(ARDOUR.DataType("midi"), 1)
for track in session:new_midi_track(
  one, one, true, ARDOUR.PluginInfo(), nil, nil, 1, "notes", last, mode, true):iter()
do
  table.insert(tracks, {name = "notes", from = node .. ":midi_out", track = track})
end
sleep(1)
for _, each in ipairs(tracks) do
  each.port = each.track:input():nth(0)
  each.port:disconnect_all()
  assert(each.port:connect(each.from) == 0, "can't connect " .. each.from)
end
sleep(1)

local function arm(each, on)
  each.track:rec_enable_control():set_value(on and 1 or 0, PBD.GroupControlDisposition.NoGroup)
end

-- Plays the recorded clicks into the node instead of the live ones.
local function play_dry()
  local dry = tracks[1]
  arm(dry, false)
  dry.track:output():nth(0):disconnect_all()
  for side = 1, 2 do
    shell("jack_disconnect " .. clicks .. ":out " .. node .. ":in_" .. side)
    assert(dry.track:output():nth(0):connect(node .. ":in_" .. side) == 0, "can't play the dry track")
  end
end

for _, each in ipairs(tracks) do arm(each, true) end
sleep(1)

local told = {}
-- Prints the new regions.
local function tell_regions(take)
  for _, each in ipairs(tracks) do
    for region in each.track:to_track():playlist():region_list():iter() do
      local file = region:source(0):name()
      if not told[file] then
        told[file] = true
        tell("region", take, each.name, region:position():samples(), region:start():samples(),
          region:length():samples(), file)
      end
    end
  end
end

local number = 0
for line in io.lines(list) do
  local name, before, during, seconds, heard =
    line:match("([^\t]*)\t([^\t]*)\t([^\t]*)\t([^\t]*)\t([^\t]*)")
  number = number + 1
  if heard == "dry" then play_dry() end
  shell(before)
  sleep(1) -- until the node has reported its latency, and Ardour has been notified
  if not AudioEngine:running() then
    tell("lost")
    os.exit(3)
  end
  local place = heard == "dry" and 1 or number
  session:request_locate(
    math.floor(place * apart * 48000), false, ARDOUR.LocateTransportDisposition.MustStop,
    ARDOUR.TransportRequestSource.TRS_UI)
  sleep(0.7)
  for _, each in ipairs(tracks) do
    local seen = each.port:get_connected_latency_range(ARDOUR.LatencyRange(), false)
    tell("latency", name, each.name, seen[1].min, seen[1].max)
  end
  session:maybe_enable_record()
  session:request_roll(ARDOUR.TransportRequestSource.TRS_UI)
  sleep(1)
  -- By the transport's clock: a busy machine delays it.
  local done = place * apart + tonumber(seconds)
  tell("rolls", name, tostring(session:transport_rolling()), tostring(session:actively_recording()))
  shell(during)
  for _ = 1, 300 do
    if session:transport_sample() >= done * 48000 then break end
    sleep(0.1)
  end
  session:request_stop(false, false, ARDOUR.TransportRequestSource.TRS_UI)
  sleep(1)
  tell_regions(name)
end

session:save_state("")
close_session()
tell("done")
