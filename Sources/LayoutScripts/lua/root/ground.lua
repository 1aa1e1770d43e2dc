-- The root's script, made by `syrinx layout touchosc`. The table above is generated; the rest is the
-- same for all layouts.
local bar = self.children.bar.children
local pager = self.children.pages
local pages = pager.children
local tabs = self.children.tabs.children
-- The handler of each address: the root sees all messages, then faders and toggles see their own.
local handlers = {}
local bright, dim, ink = layout.bright, layout.dim, layout.ink

-- Adds a handler to those of an address.
local function also(path, show)
  local first = handlers[path]
  handlers[path] = function(values)
    if first then
      first(values)
    end
    show(values)
  end
end

local function control(page, name)
  return pages[page].children[name]
end

-- Writes a text display.
local function write(page, name, text)
  control(page, name).children.value.values.text = text
end

-- The date and time of an item, to the minute.
local function minute(date)
  return string.sub(date, 1, 10) .. ' ' .. string.sub(date, 12, 16)
end

-- The control of a table with page and name.
local function at(place)
  return control(place.page, place.name)
end

-- Paints a face in a color, bright or dim.
local function paint(face, isLit, accent)
  face.color = (isLit and bright or dim)[accent]
  face.textColor = isLit and ink[accent] or layout.white
end

-- A disabled button is gray and takes no touches.
local function light(group, isLit, isEnabled)
  local face = group.children.caption
  group.children.button.interactive = isEnabled
  if not isEnabled then
    -- The release of a finger that is on it is not seen.
    group.children.button.values.x = 0
    face.color = layout.off
    face.textColor = layout.quiet
  else
    paint(face, isLit, group.tag)
  end
end

local usual = 'not connected'
local noticeAt = nil
-- Shows a notice for four seconds.
local function notify(text)
  bar.status.values.text = text
  noticeAt = getMillis()
end
