-- Buttons that are lit while an address has their value. They have one name for each root note.
local same = {
  Db = 'C#', Eb = 'D#', Gb = 'F#', Ab = 'G#', Bb = 'A#', Cb = 'B', Fb = 'E', ['E#'] = 'F', ['B#'] = 'C'
}

local function isAlike(value, wanted)
  if type(wanted) == 'number' then
    return type(value) == 'number' and math.abs(value - wanted) < 0.0005
  end
  return (same[value] or value) == wanted
end

for path, entries in pairs(layout.choices) do
  handlers[path] = function(values)
    for _, entry in ipairs(entries) do
      light(control(entry[1], entry[2]), isAlike(values[1], entry[3]), true)
    end
  end
end
