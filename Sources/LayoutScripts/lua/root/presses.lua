-- The presses of scripted buttons, by the first word of their tags.
for _, stepper in ipairs(layout.steppers) do
  also(stepper.path, function(values)
    at(stepper).children.value.values.text = string.format('%d', values[1])
  end)
end

local presses = {}

function presses.page(words)
  turnPage(tonumber(words[2]))
end

function presses.preset(words)
  pressPreset(tonumber(words[2]))
end

function presses.turn(words)
  if words[2] == 'takes' then
    turnTakes(tonumber(words[3]))
  else
    turnNames(words[2], tonumber(words[3]))
  end
end

function presses.posts(words)
  turnPosts(words[2])
end

function presses.post(words)
  actOnPost(words[2], tonumber(words[3]))
end

function presses.step(words)
  for _, stepper in ipairs(layout.steppers) do
    if stepper.path == words[2] then
      local value = tonumber(at(stepper).children.value.values.text)
      if value then
        value = value + tonumber(words[3])
        stepper.send(math.max(stepper.least, math.min(stepper.greatest, value)))
      end
    end
  end
end

function presses.word(words)
  chooseWord(tonumber(words[3]))
end

function presses.title(words)
  titleTake(tonumber(words[2]))
end

function presses.delete(words)
  deleteTake(tonumber(words[2]))
end
