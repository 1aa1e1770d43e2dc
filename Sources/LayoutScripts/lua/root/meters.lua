local function level(decibels)
  return math.max(0, math.min(1, (decibels + 60) / 60))
end

handlers['/meter'] = function(values)
  if lastLevels == nil then
    showConnection(true)
  end
  lastLevels = getMillis()
  bar['in'].values.x = level(math.max(values[1], values[2]))
  bar.out.values.x = level(math.max(values[9], values[10]))
end
