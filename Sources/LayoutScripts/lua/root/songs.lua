-- The song that plays, and the capture with its location.
local captured = 'No capture'
local captureIsOn = false
local captureAt = ''

local function showCapture()
  write('Mix', 'captured', captured .. (captureIsOn and captureAt or ''))
end

handlers['/capture/location'] = function(values)
  captureAt = values[1] == values[1] and string.format('  %.3f, %.3f', values[1], values[2]) or ''
  showCapture()
end

handlers['/music/state'] = function(values)
  local isPlaying = values[1] ~= 'stopped'
  local text = isPlaying and string.format('%s  %d of %d s', values[3], values[5], values[6])
  write('Mix', 'song', text or 'No song plays')
end

handlers['/capture/state'] = function(values)
  captureIsOn = values[1] == 'on'
  captured = captureIsOn and string.format('Captured: %d s', values[2]) or 'No capture'
  showCapture()
end
