-- The song that plays, and the capture.
handlers['/music/state'] = function(values)
  local text = 'No song plays'
  if values[1] ~= 'stopped' then
    text = string.format('%s  %d of %d s', values[3], values[5], values[6])
  end
  control('Mix', 'song').children.value.values.text = text
end

handlers['/capture/state'] = function(values)
  local text = 'No capture'
  if values[1] == 'on' then
    text = string.format('Captured: %d s', values[2])
  end
  control('Mix', 'captured').children.value.values.text = text
end
