-- The song that plays, and the capture.
handlers['/music/state'] = function(values)
  local isPlaying = values[1] ~= 'stopped'
  local text = isPlaying and string.format('%s  %d of %d s', values[3], values[5], values[6])
  write('Mix', 'song', text or 'No song plays')
end

handlers['/capture/state'] = function(values)
  local text = values[1] == 'on' and string.format('Captured: %d s', values[2])
  write('Mix', 'captured', text or 'No capture')
end
