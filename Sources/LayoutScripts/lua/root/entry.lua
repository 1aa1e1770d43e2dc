-- The functions that the app calls.
function onReceiveNotify(key, value)
  if key == 'press' then
    local words = {}
    for word in string.gmatch(value, '[^ ]+') do
      table.insert(words, tonumber(word) or word)
    end
    presses[words[1]](words[2], words[3])
  end
end

function onReceiveOSC(message, connections)
  local handler = handlers[message[1]]
  if handler and connections[1] then
    local values = {}
    for index, argument in ipairs(message[2]) do
      values[index] = argument.value
    end
    handler(values)
  end
  -- Faders and toggles see it, too.
  return false
end

function init()
  bar.status.values.text = usual
  nextPing = 0
end

function update()
  local now = getMillis()
  if now >= nextPing then
    ping(now)
  end
  if noticeAt and now - noticeAt > 4000 then
    noticeAt = nil
    bar.status.values.text = usual
  end
  updateLoops(now)
  updatePresets(now)
  updateGrid(now)
  updateTakes(now)
  updatePosts(now)
end
