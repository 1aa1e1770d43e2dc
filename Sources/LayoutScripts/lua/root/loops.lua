-- The loops: the state of each on its large button, and that of the chosen one on its page.
local looks = layout.looks
local slots = {}
for number, place in ipairs(layout.slots) do
  slots[number] = {
    parts = at(place).children, state = 'empty', position = 0, length = 0, layers = 0, queued = '',
    stateAt = 0, seconds = -1, nextAt = 0
  }
end
local longest = 10
local tempo = 120
local chosen = 1
local isBright = true

local function queuedText(slot, now)
  local text = '-> ' .. looks[slot.queued].word
  if slot.seconds >= 0 then
    local left = math.max(0, slot.seconds - (now - slot.nextAt) / 1000)
    text = text .. string.format(' in %d', math.max(1, math.ceil(left * tempo / 60)))
  end
  return text
end

-- The current state is steady, the queued one blinks.
local function showDetails(slot, now)
  local details = slot.parts.details
  local look = looks[slot.state]
  local text = ''
  if slot.layers > 0 then
    text = slot.layers == 1 and '1 layer' or string.format('%d layers', slot.layers)
  end
  if slot.queued ~= '' then
    text = queuedText(slot, now)
    look = isBright and looks[slot.queued] or look
  end
  details.values.text = text
  details.background = slot.queued ~= ''
  details.color = look.face
  details.textColor = look.text
end

local function showSlot(number)
  local slot = slots[number]
  local look = looks[slot.state]
  slot.parts.face.color = look.face
  slot.parts.caption.values.text = number .. '  ' .. look.word
  slot.parts.caption.textColor = look.text
  slot.parts.round.color = look.text
  showDetails(slot, getMillis())
end

local function playhead(slot, now)
  if slot.state == 'recording' then
    return math.min(1, math.max(slot.length, slot.position) / longest)
  end
  if slot.length <= 0 then
    return 0
  end
  local position = slot.position
  if looks[slot.state].runs then
    -- It moves on between two messages.
    position = position + math.min(400, now - slot.stateAt) / 1000
  end
  return position / slot.length % 1
end

local function showChosenLoop()
  for _, button in ipairs(layout.chosenButtons) do
    light(at(button), slots[chosen] ~= nil and slots[chosen].state == button.state, true)
  end
end

also('/loop/select', function(values)
  chosen = values[1]
  showChosenLoop()
end)

for number, place in ipairs(layout.slots) do
  handlers[place.state] = function(values)
    local slot = slots[number]
    slot.state = looks[values[1]] and values[1] or 'empty'
    slot.position, slot.length, slot.layers = values[2], values[3], values[4]
    slot.queued = looks[values[5]] and values[5] or ''
    slot.stateAt = getMillis()
    showSlot(number)
    if number == chosen then
      showChosenLoop()
    end
  end
  handlers[place.next] = function(values)
    slots[number].seconds, slots[number].nextAt = values[2], getMillis()
    showDetails(slots[number], getMillis())
  end
end

handlers['/loops/size'] = function(values)
  longest = values[2]
  if values[1] ~= #slots then
    notify(string.format('The node has %d loops, this layout %d', values[1], #slots))
  end
end

handlers['/metronome/bpm'] = function(values)
  tempo = values[1]
end

function updateLoops(now)
  local blink = math.floor(now / layout.blink) % 2 == 0
  for number, slot in pairs(slots) do
    local x = playhead(slot, now)
    if math.abs(x - slot.parts.round.values.x) > 0.001 then
      slot.parts.round.values.x = x
    end
    if blink ~= isBright and slot.queued ~= '' then
      showDetails(slot, now)
    end
  end
  isBright = blink
end
