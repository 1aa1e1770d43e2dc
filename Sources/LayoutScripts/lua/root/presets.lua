-- The user's own presets: a second press saves over one or deletes it.
local ownPresets = {}
local loaded = ''
local presetArmed = nil

also('/presets/own', function(values)
  ownPresets = values
end)
also('/preset', function(values)
  loaded = values[1] or ''
end)

local function isOwn(name)
  for _, own in ipairs(ownPresets) do
    if own == name then
      return true
    end
  end
  return false
end

function pressPreset(index)
  local name = layout.ownPresets[index] or loaded
  local isSaved = isOwn(name)
  if index == 0 and not isSaved then
    notify('Load one of your own presets first')
    return
  end
  local isAgain = presetArmed and presetArmed.index == index and presetArmed.name == name
  -- A new name overwrites nothing.
  if isAgain or (index > 0 and not isSaved) then
    presetArmed = nil
    if index > 0 then
      sendOSC('/preset/save', name, {true})
      notify('Saved as ' .. name)
    else
      sendOSC('/preset/delete', name, {true})
    end
    return
  end
  presetArmed = {index = index, name = name, since = getMillis()}
  notify('Press again to ' .. (index > 0 and 'save as ' or 'delete ') .. name)
end

function updatePresets(now)
  if presetArmed and now - presetArmed.since > 3000 then
    presetArmed = nil
  end
end
