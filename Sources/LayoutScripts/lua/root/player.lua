-- The player's buttons and state, and the phrase.
local icons = {
  record = 'Record', stop = 'Stop', play = 'Play', pause = 'Pause', rewind = 'Rewind',
  forward = 'Forward', done = 'Done', close = 'Close'
}

handlers['/player/controls'] = function(values)
  for index, place in ipairs(layout.transport) do
    local icon = values[index + #layout.transport]
    local group = at(place)
    group.visible = icon ~= ''
    group.children.caption.values.text = icons[icon] or icon
    light(group, values[index] == 1, values[index] == 1)
  end
end

local queued = ''
local state = ''
local function showState()
  write('Loop', 'state', state .. queued)
end

handlers['/player/state'] = function(values)
  local doing = values[1]
  local isBusy = doing ~= 'start'
  local takesMore = doing == 'playing' or doing == 'recording'
  local hasLoop = values[4] > 0
  light(at(layout.player.pause), isBusy, isBusy)
  light(at(layout.player.overdub), takesMore, takesMore)
  light(at(layout.player.save), hasLoop, hasLoop)
  light(at(layout.player.clear), hasLoop, hasLoop or isBusy)
  -- Undo also restores a cleared loop, which the state doesn't show: it stays enabled.
  light(at(layout.player.undo), values[5] > 0, true)
  state = string.format('%s  %.1f of %.1f s', doing == 'start' and 'ready' or doing, values[3], values[4])
  if values[5] > 0 then
    state = state .. string.format('  %d overdubs', values[5])
  end
  showState()
end

handlers['/player/next'] = function(values)
  queued = ''
  if values[1] ~= '' then
    queued = '  ' .. values[1] .. ' queued'
    if values[2] >= 0 then
      queued = queued .. string.format(' %.1f s', values[2])
    end
  end
  showState()
end

local phrase = ''
handlers['/phrase/state'] = function(values)
  phrase = string.format('Phrase: %s, %.1f s, %d notes  ', values[1], values[3], values[4])
  write('Piano', 'phrase', phrase)
end
handlers['/phrase/note'] = function(values)
  write('Piano', 'phrase', phrase .. values[1])
end
