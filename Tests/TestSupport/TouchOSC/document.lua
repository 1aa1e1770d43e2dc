-- The app's document: a tree of controls with properties, values and messages.
--
-- Changes are written to standard output, one per line, for the process with the screen and the
-- sockets.

document = { controls = {} }

-- The values of each control type in addition to `touch`.
local values = {
  BOX = {}, GROUP = {}, GRID = {},
  BUTTON = { x = 'float' }, FADER = { x = 'float' }, RADIAL = { x = 'float' },
  LABEL = { text = 'string' }, TEXT = { text = 'string' },
  RADIO = { x = 'integer' }, PAGER = { page = 'integer' },
  XY = { x = 'float', y = 'float' }, RADAR = { x = 'float', y = 'float' },
  ENCODER = { x = 'float', y = 'float' },
}

-- Properties by the letter of their type, as in scripts.
local common = {
  name = 's', tag = 's', script = 's', frame = 'r', color = 'c', visible = 'b', interactive = 'b',
  background = 'b', outline = 'b', outlineStyle = 'i', grabFocus = 'b', pointerPriority = 'i',
  cornerRadius = 'f', orientation = 'i', shape = 'i', locked = 'b',
}
local text = {
  font = 'i', textSize = 'i', textAlignH = 'i', textAlignV = 'i', textColor = 'c', textClip = 'b',
}
local grid = {
  response = 'i', responseFactor = 'i', grid = 'b', gridSteps = 'i', gridColor = 'c',
  cursor = 'b', cursorDisplay = 'i',
}
local properties = {
  BOX = {}, XY = {}, RADAR = {}, GRID = {},
  GROUP = { tabLabel = 's', tabColorOn = 'c', tabColorOff = 'c', textColorOn = 'c', textColorOff = 'c' },
  BUTTON = { buttonType = 'i', press = 'b', release = 'b', valuePosition = 'b' },
  LABEL = { textLength = 'i' }, TEXT = { textWrap = 'b' },
  FADER = { bar = 'b', barDisplay = 'i', centered = 'b' },
  RADIAL = { inverted = 'b', centered = 'b' }, ENCODER = {},
  RADIO = { steps = 'i', radioType = 'i' },
  PAGER = {
    tabbar = 'b', tabLabels = 'b', tabbarSize = 'i', tabbarDoubleTap = 'b', textSizeOn = 'i',
    textSizeOff = 'i',
  },
}
for type, list in pairs(properties) do
  local more = { common }
  if type == 'LABEL' or type == 'TEXT' then more[2] = text end
  if type == 'FADER' or type == 'RADIAL' or type == 'ENCODER' then more[2] = grid end
  for _, others in ipairs(more) do
    for key, kind in pairs(others) do list[key] = kind end
  end
end

-- Lines of fields, with escaped tabs and newlines.

local escapes = { ['%'] = '%%', ['\t'] = '%t', ['\n'] = '%n', ['\r'] = '%r' }

function tell(...)
  local fields = { ... }
  for index = 1, #fields do fields[index] = tostring(fields[index]):gsub('[%%\t\n\r]', escapes) end
  io.write(table.concat(fields, '\t'), '\n')
end

-- A fault of the layout, which fails the test.
function document.fault(control, message)
  tell('E', control and document.path(control) or '', message)
end

function document.path(control)
  local path = tostring(control.properties.name)
  while control.parent do
    control = control.parent
    path = tostring(control.properties.name) .. '/' .. path
  end
  return path
end

-- Construction.

function document.add(id, parent, type, uuid)
  local control = {
    id = id, uuid = uuid, type = type, parent = parent, children = {}, messages = {},
    properties = {
      name = '', tag = '', script = '', visible = true, interactive = true, orientation = 0,
      outline = true, background = true, grabFocus = type ~= 'GROUP' and type ~= 'PAGER',
      frame = { 0, 0, 0, 0 }, color = { 0, 0, 0, 1 },
    },
    kinds = setmetatable({}, { __index = properties[type] }),
    values = { touch = false }, defaults = { touch = false }, last = {}, locked = {},
    valueKinds = setmetatable({ touch = 'boolean' }, { __index = values[type] }),
  }
  for key, kind in pairs(values[type]) do
    control.values[key] = kind == 'string' and '' or 0
    control.defaults[key] = control.values[key]
  end
  document.controls[id] = control
  if parent then
    table.insert(parent.children, control)
    control.index = #parent.children
  else
    document.root = control
    control.index = 0
  end
  return control
end

function document.read(kind, fields)
  if kind == 'b' then return fields[1] == '1' or fields[1] == 'true' end
  if kind == 'i' or kind == 'f' then return tonumber(fields[1]) end
  if kind == 'r' or kind == 'c' then
    local numbers = {}
    for index = 1, 4 do numbers[index] = tonumber(fields[index]) end
    return numbers
  end
  return fields[1] or ''
end

-- Values.

local function number(value)
  if value == true then return 1 end
  if value == false then return 0 end
  return tonumber(value)
end

-- The value in a control's own type; nil if it is invalid.
local function kept(control, key, value)
  local kind = control.valueKinds[key]
  if kind == 'string' then
    if type(value) == 'number' then return string.format('%.6g', value) end
    return type(value) == 'string' and value or nil
  end
  if kind == 'boolean' then
    if type(value) == 'number' then return value ~= 0 end
    return value
  end
  value = number(value)
  if not value or value ~= value then return nil end
  if kind == 'integer' then
    local count = control.type == 'PAGER' and #control.children or control.properties.steps or 1
    return math.max(0, math.min(count - 1, math.floor(value + 0.5)))
  end
  return math.max(0, math.min(1, value))
end

local function matches(condition, old, new)
  if condition == 'ANY' then return true end
  old, new = number(old), number(new)
  if not old or not new then return false end
  if condition == 'RISE' then return new > old end
  return condition == 'FALL' and new < old
end

local depth = 0

-- Sets a value: calls the script, then sends the messages that it triggers, except the one that set
-- it, unless that has feedback.
function document.set(control, key, value, message)
  local old = control.values[key]
  local new = kept(control, key, value)
  if new == nil then
    return document.fault(control, 'no ' .. key .. ': ' .. tostring(value))
  end
  if control.locked[key] or new == old then return end
  control.values[key], control.last[key] = new, old
  tell('V', control.id, key, new)
  depth = depth + 1
  if depth > 50 then
    depth = 0
    error('values set one another for ever')
  end
  scripts.call(control, 'onValueChanged', key)
  for _, other in ipairs(control.messages) do
    if other.enabled and other.send and (other ~= message or other.feedback) then
      for _, trigger in ipairs(other.triggers) do
        if trigger.var == key and matches(trigger.condition, old, new) then
          document.send(control, other)
          break
        end
      end
    end
  end
  depth = depth - 1
end

function document.setProperty(control, key, value)
  control.properties[key] = value
  if type(value) == 'table' then
    tell('P', control.id, key, unpack(value))
  else
    tell('P', control.id, key, value)
  end
end

-- Messages.

-- A property by name, or one of an ancestor's: `parent.name`.
local function property(control, name)
  while name:match('^parent%.') do
    control, name = control.parent, name:gsub('^parent%.', '')
    if not control then return nil end
  end
  return control.properties[name]
end

local function content(control, partial)
  if partial.type == 'CONSTANT' then return partial.value end
  if partial.type == 'INDEX' then return control.index end
  if partial.type == 'PROPERTY' then return property(control, partial.value) end
  return control.values[partial.value]
end

local function scaled(value, partial)
  return value * (partial.max - partial.min) + partial.min
end

function document.address(control, message)
  if message.fixed then return message.fixed end
  local parts = {}
  for index, partial in ipairs(message.path) do
    parts[index] = tostring(content(control, partial))
  end
  return table.concat(parts)
end

-- Type tag and value of an argument.
local function argument(control, partial)
  local value = content(control, partial)
  if value == nil then
    document.fault(control, 'an argument is of no ' .. partial.type .. ' ' .. partial.value)
    return 'N', ''
  end
  if partial.conversion == 'STRING' then return 's', tostring(value) end
  local numeric = number(value)
  if not numeric then
    document.fault(control, tostring(value) .. ' is no ' .. partial.conversion)
    return 'N', ''
  end
  if partial.type ~= 'CONSTANT' then numeric = scaled(numeric, partial) end
  if partial.conversion == 'FLOAT' then return 'f', numeric end
  if partial.conversion == 'INTEGER' then return 'i', math.floor(numeric + 0.5) end
  return numeric ~= 0 and 'T' or 'F', ''
end

function document.send(control, message)
  local fields = { 'S', document.address(control, message) }
  for _, partial in ipairs(message.arguments) do
    local tag, value = argument(control, partial)
    table.insert(fields, tag)
    table.insert(fields, value)
  end
  local all = table.concat(fields, '\t')
  if message.noDuplicates and message.last == all then return end
  message.last = all
  tell(unpack(fields))
end

-- Applies a received message to a control.
local function take(control, message, arguments)
  for index, partial in ipairs(message.arguments) do
    local incoming = arguments[index]
    if not incoming then return end
    local value = incoming.value
    if partial.type == 'VALUE' then
      if control.valueKinds[partial.value] ~= 'string' then
        value = number(value)
        if not value then
          return document.fault(control, tostring(incoming.value) .. ' is no number')
        end
        value = (value - partial.min) / (partial.max - partial.min)
      elseif partial.min ~= 0 or partial.max ~= 1 then
        document.fault(control, 'a text has no scale')
      end
      document.set(control, partial.value, value, message)
    elseif partial.type == 'PROPERTY' then
      local kind = control.kinds[partial.value]
      if kind == 'c' or kind == 'r' or not kind then
        document.fault(control, 'can a message set ' .. partial.value .. '?')
      else
        document.setProperty(
          control, partial.value,
          kind == 'b' and number(value) ~= 0 or kind == 's' and tostring(value) or kind ~= 'b' and number(value))
      end
    end
  end
end

function document.receive(address, arguments)
  local root = document.root
  local function told()
    -- Each script gets its own tables.
    local copy = {}
    for index, one in ipairs(arguments) do copy[index] = { tag = one.tag, value = one.value } end
    return { address, copy }, { true, false, false, false, false, false, false, false, false, false }
  end
  if scripts.call(root, 'onReceiveOSC', told()) then return end
  for _, control in ipairs(document.controls) do
    local fitting = {}
    for _, message in ipairs(control.messages) do
      if message.enabled and message.receive and document.address(control, message) == address then
        table.insert(fitting, message)
      end
    end
    -- A control receives only addresses of its messages.
    if #fitting > 0 and (control == root or not scripts.call(control, 'onReceiveOSC', told())) then
      for _, message in ipairs(fitting) do take(control, message, arguments) end
    end
  end
end
