-- The script API according to the app's manual; anything else is a fault.
--
-- Each script has its own environment, as each has its own Lua state in the app.

scripts = { now = 0 }

local proxies = setmetatable({}, { __mode = 'k' })
-- The targets of proxies.
local targets = setmetatable({}, { __mode = 'k' })

-- Errors have the line of the calling script.
local own = debug.getinfo(1, 'S').source

local function refuse(what)
  local level = 2
  while debug.getinfo(level, 'S') and debug.getinfo(level, 'S').source == own do level = level + 1 end
  error(what, level)
end

-- Proxy objects without fields of their own, through which a script sees the app's objects.
local function object(kind, target, meta)
  local proxy = newproxy(true)
  for key, value in pairs(meta) do getmetatable(proxy)[key] = value end
  targets[proxy] = { kind = kind, target = target }
  return proxy
end

local function target(kind, proxy)
  local found = targets[proxy]
  return found and found.kind == kind and found.target or nil
end

-- Colors and rectangles.

local colorMeta, rectangleMeta = {}, {}

local function checkedNumber(value, what)
  if type(value) ~= 'number' then refuse(what .. ' is no number: ' .. tostring(value)) end
  return value
end

-- Four named numbers; changing a control's own changes its property.
local function quartet(kind, meta, places, numbers, control, property)
  return object(
    kind, { places = places, numbers = numbers, control = control, property = property }, meta)
end

local components = { r = 1, g = 2, b = 3, a = 4 }
local sides = { x = 1, y = 2, w = 3, h = 4 }

local function color(numbers, control, property)
  return quartet('Color', colorMeta, components, numbers, control, property)
end

local function rectangle(numbers, control, property)
  return quartet('Rectangle', rectangleMeta, sides, numbers, control, property)
end

for kind, meta in pairs { Color = colorMeta, Rectangle = rectangleMeta } do
  meta.__index = function(proxy, key)
    local it = target(kind, proxy)
    if kind == 'Rectangle' and key == 'contains' then
      return function(_, x, y)
        local n = it.numbers
        return x >= n[1] and x < n[1] + n[3] and y >= n[2] and y < n[2] + n[4]
      end
    end
    return it.numbers[it.places[key] or refuse('a ' .. kind .. ' has no ' .. tostring(key))]
  end
  meta.__newindex = function(proxy, key, value)
    local it = target(kind, proxy)
    local place = it.places[key] or refuse('a ' .. kind .. ' has no ' .. tostring(key))
    if it.numbers[place] == checkedNumber(value, key) then return end
    it.numbers[place] = value
    if it.control then document.setProperty(it.control, it.property, it.numbers) end
  end
end

for name, operation in pairs {
  __add = function(x, y) return x + y end, __sub = function(x, y) return x - y end,
  __mul = function(x, y) return x * y end, __div = function(x, y) return x / y end,
} do
  colorMeta[name] = function(one, other)
    local x, y = target('Color', one), target('Color', other)
    if not x then refuse('a colour stands before the number') end
    local number = not y and checkedNumber(other, 'what is beside a colour')
    local result = {}
    for index = 1, 4 do
      result[index] = operation(x.numbers[index], number or y.numbers[index])
    end
    return color(result)
  end
end

local Color = {}

local function newColor(_, first, second, third, fourth)
  local other = target('Color', first)
  if other then return color { unpack(other.numbers) } end
  for _, value in ipairs { first or 0, second or 0, third or 0, fourth or 0 } do
    checkedNumber(value, 'a component')
  end
  if first == nil then return color { 0, 0, 0, 0 } end
  if second == nil then return color { first, first, first, first } end
  if third == nil then return color { first, first, first, second } end
  return color { first, second, third, fourth or 1 }
end

function Color.fromHexString(text)
  local digits = type(text) == 'string' and text:match('^%x+$') and text or ''
  local bytes = {}
  for byte in digits:gmatch('%x%x') do table.insert(bytes, tonumber(byte, 16) / 255) end
  if #digits == 8 then return color(bytes) end
  if #digits == 6 then return color { bytes[1], bytes[2], bytes[3], 1 } end
  if #digits == 4 then return color { bytes[1], bytes[1], bytes[1], bytes[2] } end
  if #digits == 2 then return color { bytes[1], bytes[1], bytes[1], 1 } end
  refuse('no colour: ' .. tostring(text))
end

function Color.toHexString(value)
  local it = target('Color', value) or refuse('no colour')
  local function byte(x) return math.floor(x * 255 + 0.5) end
  local n = it.numbers
  return string.format('%02X%02X%02X%02X', byte(n[1]), byte(n[2]), byte(n[3]), byte(n[4]))
end

local function newRectangle(x, y, w, h)
  local other = target('Rectangle', x)
  if other then return rectangle { unpack(other.numbers) } end
  if x == nil then return rectangle { 0, 0, 0, 0 } end
  if w == nil then x, y, w, h = 0, 0, x, y end
  for _, value in ipairs { x, y, w, h } do checkedNumber(value, 'a side') end
  return rectangle { x, y, w, h }
end

-- Properties.

local function property(control, key)
  local kind = control.kinds[key] or refuse('a ' .. control.type .. ' has no ' .. tostring(key))
  local value = control.properties[key]
  if kind == 'c' and value then return color(value, control, key) end
  if kind == 'r' then return rectangle(value, control, key) end
  return value
end

local expected = { s = 'string', b = 'boolean', i = 'number', f = 'number' }

local function setProperty(control, key, value)
  local kind = control.kinds[key] or refuse('a ' .. control.type .. ' has no ' .. tostring(key))
  if kind == 'c' then
    local it = target('Color', value) or refuse(key .. ' takes a Color')
    value = { unpack(it.numbers) }
  elseif kind == 'r' then
    value = { unpack((target('Rectangle', value) or refuse(key .. ' takes a Rectangle')).numbers) }
  else
    if kind == 's' and type(value) == 'number' then value = tostring(value) end
    if type(value) ~= expected[kind] then refuse(key .. ' takes a ' .. expected[kind]) end
  end
  local old = control.properties[key]
  if kind == 'c' or kind == 'r' then
    if old and table.concat(old, ' ') == table.concat(value, ' ') then return end
  elseif old == value then
    return
  end
  if key == 'script' then refuse('a script is not changed by one') end
  document.setProperty(control, key, value)
end

-- Controls.

local controlMeta = {}

local function proxy(control)
  if not control then return nil end
  proxies[control] = proxies[control] or object('Control', control, controlMeta)
  return proxies[control]
end

local function find(control, test, recursive, found)
  for _, child in ipairs(control.children) do
    if test(child) then table.insert(found, proxy(child)) end
    if recursive then find(child, test, true, found) end
  end
  return found
end

local function named(name)
  return function(control) return control.properties.name == tostring(name) end
end

local functions = {}

function functions.findByName(control, name, recursive)
  return find(control, named(name), recursive, {})[1]
end

function functions.findByID(control, uuid, recursive)
  return find(control, function(other) return other.uuid == uuid end, recursive, {})[1]
end

function functions.findAllByProperty(control, key, value, recursive)
  return find(
    control, function(other) return other.properties[key] == value end, recursive, {})
end

-- Values that can be passed from one script's Lua state to another's.
local function carried(value)
  local kind = type(value)
  if kind == 'table' then
    local copy = {}
    for key, item in pairs(value) do copy[key] = carried(item) end
    return copy
  end
  if kind == 'function' or kind == 'thread' then refuse('can not notify of a ' .. kind) end
  return value
end

function functions.notify(control, key, value)
  scripts.call(control, 'onReceiveNotify', key, carried(value))
end

function functions.getValueField(control, key, field)
  if not control.valueKinds[key] then refuse('a ' .. control.type .. ' has no value ' .. tostring(key)) end
  if field == ValueField.LAST then return control.last[key] end
  if field == ValueField.DEFAULT then return control.defaults[key] end
  return control.values[key]
end

local childrenMeta, valuesMeta, propertiesMeta = {}, {}, {}

childrenMeta.__index = function(list, key)
  local control = target('children', list)
  if type(key) == 'number' then return proxy(control.children[key]) end
  return find(control, named(key), false, {})[1]
end
childrenMeta.__len = function(list) return #target('children', list).children end
childrenMeta.__newindex = function() refuse('children are not assigned') end

valuesMeta.__index = function(list, key)
  local control = target('values', list)
  if not control.valueKinds[key] then refuse('a ' .. control.type .. ' has no value ' .. tostring(key)) end
  return control.values[key]
end
valuesMeta.__newindex = function(list, key, value)
  local control = target('values', list)
  local kind = control.valueKinds[key]
  if not kind then refuse('a ' .. control.type .. ' has no value ' .. tostring(key)) end
  if key == 'touch' then refuse('touch is not assigned') end
  local given = type(value)
  if given ~= 'number' and given ~= (kind == 'string' and 'string' or 'boolean') then
    refuse(key .. ' takes no ' .. given)
  end
  document.set(control, key, value)
end

propertiesMeta.__index = function(list, key) return property(target('properties', list), key) end
propertiesMeta.__newindex = function(list, key, value)
  setProperty(target('properties', list), key, value)
end

controlMeta.__index = function(self, key)
  local control = target('Control', self)
  if key == 'ID' then return control.uuid end
  if key == 'type' then return ControlType[control.type] end
  if key == 'index' then return control.index end
  if key == 'parent' then return proxy(control.parent) end
  if key == 'children' then return object('children', control, childrenMeta) end
  if key == 'values' then return object('values', control, valuesMeta) end
  if key == 'properties' then return object('properties', control, propertiesMeta) end
  if functions[key] then
    return function(me, ...)
      local other = target('Control', me) or refuse(key .. ' is called with a colon')
      return functions[key](other, ...)
    end
  end
  return property(control, key)
end
controlMeta.__newindex = function(self, key, value)
  setProperty(target('Control', self), key, value)
end
controlMeta.__tostring = function(self) return document.path(target('Control', self)) end

-- Global functions and names.

local function enumeration(...)
  local list = {}
  for index, name in ipairs { ... } do list[name] = index - 1 end
  return setmetatable(list, { __index = function(_, name) refuse('no such name: ' .. tostring(name)) end })
end

ValueField = enumeration('CURRENT', 'LAST', 'DEFAULT')
ControlType = enumeration(
  'BOX', 'BUTTON', 'LABEL', 'TEXT', 'FADER', 'XY', 'RADIAL', 'ENCODER', 'RADAR', 'RADIO', 'GROUP',
  'PAGER', 'GRID')

local function oscArgument(value)
  local kind = type(value)
  if kind == 'number' then return 'f', value end
  if kind == 'string' then return 's', value end
  if kind == 'boolean' then return value and 'T' or 'F', '' end
  refuse('an OSC argument can be no ' .. kind)
end

local function sendOSC(first, ...)
  local fields, connections = { 'S' }, nil
  if type(first) == 'table' then
    fields[2] = first[1]
    for _, one in ipairs(first[2] or {}) do
      if type(one) ~= 'table' or type(one.tag) ~= 'string' then refuse('an argument has tag and value') end
      table.insert(fields, one.tag)
      table.insert(fields, one.value == nil and '' or one.value)
    end
    connections = ...
  else
    local arguments, count = { ... }, select('#', ...)
    fields[2] = first
    for index = 1, count do
      if index == count and type(arguments[index]) == 'table' then
        connections = arguments[index]
      else
        local tag, value = oscArgument(arguments[index])
        table.insert(fields, tag)
        table.insert(fields, value)
      end
    end
  end
  if type(fields[2]) ~= 'string' or fields[2]:sub(1, 1) ~= '/' then
    refuse('no OSC address: ' .. tostring(fields[2]))
  end
  if connections and not connections[1] then return end
  tell(unpack(fields))
end

-- A script's environment: of Lua 5.1 only the parts that the manual lists.
local function environment(control)
  local copies = {}
  for _, name in ipairs { 'table', 'math', 'string' } do
    copies[name] = {}
    for key, value in pairs(_G[name]) do copies[name][key] = value end
    setmetatable(copies[name], {
      __index = function(_, key) refuse('no ' .. name .. '.' .. tostring(key)) end,
    })
  end
  copies.table.unpack = unpack
  copies.table.pack = function(...) return { ... } end
  copies.math.clamp = function(x, low, high) return math.min(math.max(x, low), high) end
  local names = {
    error = error, ipairs = ipairs, next = next, pairs = pairs, select = select,
    tonumber = tonumber, tostring = tostring, type = type, unpack = unpack,
    table = copies.table, math = copies.math, string = copies.string,
    print = function(...)
      local words = { ... }
      for index = 1, select('#', ...) do words[index] = tostring(words[index]) end
      tell('L', table.concat(words, '\t'))
    end,
    self = proxy(control), root = proxy(document.root), sendOSC = sendOSC,
    getMillis = function() return scripts.now end,
    Color = setmetatable({}, {
      __call = newColor,
      __index = function(_, key) return Color[key] or refuse('no Color.' .. tostring(key)) end,
    }),
    Rectangle = newRectangle, ValueField = ValueField, ControlType = ControlType,
    Orientation = enumeration('NORTH', 'EAST', 'SOUTH', 'WEST'),
  }
  return setmetatable({}, {
    __index = function(_, key)
      if names[key] ~= nil then return names[key] end
      refuse('there is no ' .. tostring(key))
    end,
  })
end

local callbacks = {
  init = true, update = true, onValueChanged = true, onReceiveOSC = true, onReceiveNotify = true,
}

-- Runs a script's function; reports its errors with their lines.
local function run(control, call, ...)
  local arguments, count = { ... }, select('#', ...)
  local isOutermost = debug.gethook() == nil
  if isOutermost then
    debug.sethook(function() error('runs on and on', 2) end, '', 2e7)
  end
  local done, result = xpcall(
    function() return call(unpack(arguments, 1, count)) end,
    function(message) return tostring(message) end)
  if isOutermost then debug.sethook() end
  if not done then
    document.fault(control, result)
    return nil
  end
  return result
end

function scripts.call(control, name, ...)
  local call = control.environment and rawget(control.environment, name)
  if call then return run(control, call, ...) end
end

-- Compiles and runs all scripts, parents before children, and calls `init`.
function scripts.begin()
  for _, control in ipairs(document.controls) do
    local source = control.properties.script
    if source ~= '' then
      local chunk, fault = loadstring(source, '@' .. document.path(control))
      if not chunk then
        document.fault(control, fault)
      else
        local names = environment(control)
        setfenv(chunk, names)
        control.environment = names
        run(control, chunk)
        for key, value in pairs(names) do
          if type(value) == 'function' and key:match('^on%u') and not callbacks[key] then
            document.fault(control, 'is ' .. key .. ' ever called?')
          end
        end
      end
    end
  end
  for _, control in ipairs(document.controls) do scripts.call(control, 'init') end
end

function scripts.update()
  for _, control in ipairs(document.controls) do scripts.call(control, 'update') end
end
