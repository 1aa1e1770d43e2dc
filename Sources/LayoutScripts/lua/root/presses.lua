-- The presses of scripted buttons, by the first word of their tags.
for _, stepper in ipairs(layout.steppers) do
  also(stepper.path, function(values)
    at(stepper).children.value.values.text = string.format('%d', values[1])
  end)
end

-- Each is called with the other words, of which numbers are numbers.
local presses = {
  page = turnPage, preset = pressPreset, posts = turnPosts, post = actOnPost, play = playTake,
  title = titleTake, delete = deleteTake
}

function presses.turn(list, by)
  if list == 'takes' then
    turnTakes(by)
  else
    turnNames(list, by)
  end
end

function presses.step(path, by)
  for _, stepper in ipairs(layout.steppers) do
    local value = tonumber(at(stepper).children.value.values.text)
    if stepper.path == path and value then
      stepper.send(math.max(stepper.least, math.min(stepper.greatest, value + by)))
    end
  end
end

function presses.word(_, index)
  chooseWord(index)
end
