-- A button whose press the root handles, by the words in its tag.
function onValueChanged(key)
  if key == 'x' and self.values.x > 0.5 then
    root:notify('press', self.tag)
  end
end
