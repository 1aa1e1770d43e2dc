-- The app's core, controlled by lines on standard input: fields separated by tabs.
--
-- Commands with an effect are answered with its changes, and a line with a dot.

local folder = ...
dofile(folder .. '/document.lua')
dofile(folder .. '/scripts.lua')

local unescaped = { ['%'] = '%', t = '\t', n = '\n', r = '\r' }

local function fields(line)
  local list = {}
  for field in (line .. '\t'):gmatch('([^\t]*)\t') do
    list[#list + 1] = field:gsub('%%(.)', unescaped)
  end
  return list
end

local current, message

local function arguments(list, first)
  local found = {}
  for index = first, #list, 2 do
    local tag, value = list[index], list[index + 1]
    if tag == 'i' or tag == 'f' or tag == 'd' or tag == 'h' then value = tonumber(value) end
    if tag == 'T' or tag == 'F' then value = tag == 'T' end
    if tag == 'N' then value = nil end
    found[#found + 1] = { tag = tag, value = value }
  end
  return found
end

local commands = {}

function commands.control(list)
  current = document.add(
    tonumber(list[2]), document.controls[tonumber(list[3])], list[4], list[5])
end

function commands.property(list)
  local kind, key = list[2], list[3]
  if not current.kinds[key] then current.kinds[key] = kind end
  current.properties[key] = document.read(kind, { unpack(list, 4) })
end

function commands.value(list)
  local key, default = list[2], list[3]
  local kind = current.valueKinds[key]
  if not kind then return document.fault(current, 'a ' .. current.type .. ' has no value ' .. key) end
  if kind == 'boolean' then default = default == 'true' end
  if kind == 'float' or kind == 'integer' then default = tonumber(default) end
  current.values[key], current.defaults[key] = default, default
  current.locked[key] = list[4] == '1'
end

function commands.message(list)
  message = {
    enabled = list[2] == '1', send = list[3] == '1', receive = list[4] == '1',
    feedback = list[5] == '1', noDuplicates = list[6] == '1', triggers = {}, path = {},
    arguments = {},
  }
  table.insert(current.messages, message)
end

function commands.trigger(list)
  if not current.valueKinds[list[2]] then
    document.fault(current, 'a trigger is no value: ' .. list[2])
  end
  table.insert(message.triggers, { var = list[2], condition = list[3] })
end

local function partial(list)
  if list[2] == 'VALUE' and not current.valueKinds[list[4]] then
    document.fault(current, 'a ' .. current.type .. ' has no value ' .. list[4])
  end
  return {
    type = list[2], conversion = list[3], value = list[4], min = tonumber(list[5]),
    max = tonumber(list[6]),
  }
end

function commands.path(list) table.insert(message.path, partial(list)) end

function commands.argument(list) table.insert(message.arguments, partial(list)) end

local answered = {}

function answered.begin() scripts.begin() end

function answered.frame() scripts.update() end

function answered.receive(list) document.receive(list[3], arguments(list, 4)) end

function answered.set(list)
  local control, key, value = document.controls[tonumber(list[3])], list[4], list[5]
  if control.valueKinds[key] == 'boolean' then value = value == 'true' end
  document.set(control, key, value)
end

for line in io.lines() do
  local list = fields(line)
  if commands[list[1]] then
    commands[list[1]](list)
  else
    scripts.now = tonumber(list[2])
    local done, fault = pcall(answered[list[1]], list)
    if not done then document.fault(nil, fault) end
    io.write('.\n')
    io.flush()
  end
end
