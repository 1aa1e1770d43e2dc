-- A fader whose message is sent by the app, which scales linearly. It shows the value, ignores what
-- comes while it is touched, and queries the current value after the touch.
local function show()
  local value = layout.least + self.values.x * (layout.greatest - layout.least)
  self.parent.children.value.values.text = string.format(layout.format, value)
end
function init()
  show()
end
function onReceiveOSC()
  return self.values.touch
end
function onValueChanged(key)
  if key == 'x' then
    show()
  elseif key == 'touch' and not self.values.touch then
    layout.query()
  end
end
