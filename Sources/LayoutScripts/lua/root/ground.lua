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

-- The control of a table with page and name.
local function at(place)
  return control(place.page, place.name)
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
    face.color = (isLit and bright or dim)[group.tag]
    face.textColor = isLit and ink[group.tag] or layout.white
  end
end

local usual = 'not connected'
local said = nil
-- Shows a notice for four seconds.
local function say(text)
  bar.status.values.text = text
  said = getMillis()
end
