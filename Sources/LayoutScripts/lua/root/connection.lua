-- Subscribes, and watches whether the node is there and still the same process.
local engine = nil
-- The time of the last levels, which come thirty times a second, to subscribers only.
local lastLevels = nil
local nextPing = 0
local name = 'connected'

local function turnPage(page)
  pager.values.page = page - 1
  for _, tab in ipairs(layout.tabs) do
    paint(tabs['name-' .. tab], tab == layout.tabs[page], 'plain')
  end
end

local function subscribe()
  sendOSC('/subscribe', layout.receivePort, {true})
end

local function showConnection(isThere)
  bar.lamp.color = isThere and bright.play or bright.record
  usual = isThere and name or 'not connected'
  if not noticeAt then
    bar.status.values.text = usual
  end
end

local function isSilent(now)
  return lastLevels == nil or now - lastLevels > 12000
end

local function ping(now)
  nextPing = now + 5000
  -- Subscribes again, also if the node answers, but has dropped the subscription.
  if isSilent(now) then
    lastLevels = nil
    showConnection(false)
    subscribe()
  end
  sendOSC('/ping', {true})
end

handlers['/pong'] = function(values)
  if engine ~= nil and engine ~= values[4] then
    subscribe()
  end
  engine = values[4]
  name = values[2] .. ' ' .. values[3]
  showConnection(lastLevels ~= nil)
end

handlers['/error'] = function(values)
  notify(values[3])
  if values[1] == '/takes' then
    refuseTakes(values[2])
  end
  if values[1] == '/feed' then
    refusePosts()
  end
end
