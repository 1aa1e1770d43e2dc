-- A fader with a curve, which the app's messages don't have: the script sends and receives. It ignores
-- what comes while it is touched, and queries the current value after the touch.
local least, greatest = layout.least, layout.greatest
-- From position to value and back, with the formulas of Address.Curve.
local curves = {
  exponential = {
    value = function(position) return least * (greatest / least) ^ position end,
    position = function(value) return math.log(value / least) / math.log(greatest / least) end
  },
  level = {
    value = function(position) return least + (greatest - least) * math.sqrt(position) end,
    position = function(value) return (math.max(0, value - least) / (greatest - least)) ^ 2 end
  }
}
local curve = curves[layout.curve]
-- The position of the last value received, until a touch moves the fader: what was received is not
-- sent back.
local received = nil

local function currentValue()
  return math.max(least, math.min(greatest, curve.value(self.values.x)))
end
local function show()
  self.parent.children.value.values.text = string.format(layout.format, currentValue())
end
function init()
  show()
end
function onReceiveOSC(message)
  local argument = message[2][1]
  if argument and not self.values.touch then
    received = math.max(0, math.min(1, curve.position(argument.value)))
    self.values.x = received
  end
  return true
end
function onValueChanged(key)
  if key == 'x' then
    show()
    -- The app may change touch before x, or x before touch.
    if not received or math.abs(self.values.x - received) > 1e-6 then
      received = nil
      layout.send(currentValue())
    end
  elseif key == 'touch' and not self.values.touch then
    layout.query()
  end
end
