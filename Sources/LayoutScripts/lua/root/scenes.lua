-- The present scene, the next one or the one that waits, and the notes.
local present, upcoming, waiting = 'No scene', '', ''

local function showScene()
  write('Scenes', 'scene', present .. (waiting ~= '' and waiting or upcoming))
end

handlers['/setlist/scene'] = function(values)
  local number, count, title, notes, next = values[1], values[2], values[3], values[4], values[5]
  local place = number > 0 and string.format('%d of %d  ', number, count) or ''
  present = title ~= '' and place .. title or 'No scene'
  upcoming = next ~= '' and '  -  next: ' .. next or ''
  showScene()
  write('Scenes', 'notes', notes)
end

handlers['/scene/queued'] = function(values)
  waiting = values[1] ~= '' and '  -  ' .. values[1] .. ' on the ' .. values[2] or ''
  if values[2] == 'now' then
    waiting = '  -  ' .. values[1] .. ' is being read'
  end
  showScene()
end
