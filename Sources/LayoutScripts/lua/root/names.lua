-- Lists of names, one page at a time.
local lists = {}
for key, list in pairs(layout.lists) do
  lists[key] = {first = 0, names = {}, chosen = ''}
end

local function showNames(key)
  local list, of = lists[key], layout.lists[key]
  local group = control(of.page, key).children
  group.caption.values.text = of.caption .. ': ' .. list.chosen
  for slot = 1, of.slots do
    local name = list.names[list.first + slot]
    local button, face = group['slot-' .. slot], group['name-' .. slot]
    button.visible = name ~= nil
    face.visible = name ~= nil
    button.tag = name or ''
    face.values.text = name or ''
    paint(face, name ~= nil and name == list.chosen, of.accent)
  end
end

function turnNames(key, by)
  local list, slots = lists[key], layout.lists[key].slots
  local count = math.max(1, math.ceil(#list.names / slots))
  list.first = (math.floor(list.first / slots) + by) % count * slots
  showNames(key)
end

-- Shows the page with the chosen name.
local function showChosen(key)
  local list, slots = lists[key], layout.lists[key].slots
  for index, name in ipairs(list.names) do
    if name == list.chosen then
      list.first = math.floor((index - 1) / slots) * slots
    end
  end
  showNames(key)
end

for key, of in pairs(layout.lists) do
  also(of.list, function(values)
    lists[key].names = values
    showChosen(key)
  end)
  also(of.choice, function(values)
    lists[key].chosen = values[1]
    showChosen(key)
  end)
end
