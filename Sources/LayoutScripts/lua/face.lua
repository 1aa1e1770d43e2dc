-- A button that lights its own face while it is on.
function onValueChanged(key)
  if key == 'x' then
    local face = self.parent.children.caption
    local isOn = self.values.x > 0.5
    face.color = isOn and layout.on or layout.off
    face.textColor = isOn and layout.textOn or layout.textOff
  end
end
