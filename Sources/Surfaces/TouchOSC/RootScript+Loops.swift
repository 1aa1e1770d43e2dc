internal import Control

extension RootScript {
  /// Writes the script of the loops: what each does on its big button, and what the chosen one does on
  /// its page.
  func loops() throws(SurfaceFault) -> String {
    var (slots, states, nexts): ([String], [String], [String]) = ([], [], [])
    for (page, control) in surface.controls {
      guard case .slot(let number, _) = control.kind else { continue }
      slots.append(
        "  [\(number)] = newSlot(control(\(LuaAddresses.quoted(page.name)), "
          + "\(LuaAddresses.quoted(control.name)))),")
      states.append("  [\(try lua.path("/loop/\(number)/state"))] = \(number),")
      nexts.append("  [\(try lua.path("/loop/\(number)/next"))] = \(number),")
    }
    return try """
    local looks = {
    \(LoopLook.all.map { "  \($0.state) = \(Self.look($0))," }.joined(separator: "\n"))
    }
    local isRunning = {
      playing = true, muted = true, overdubbing = true, replacing = true, substituting = true,
      multiplying = true, inserting = true
    }
    local function newSlot(group)
      return {
        parts = group.children, state = 'empty', position = 0, length = 0, layers = 0, waits = '',
        heardAt = 0, seconds = -1, toldAt = 0
      }
    end
    local slots = {
    \(slots.joined(separator: "\n"))
    }
    local longest = 10
    local tempo = 120
    local chosen = 1
    local isBright = true

    local function comingWords(slot, now)
      local words = '-> ' .. looks[slot.waits].word
      if slot.seconds >= 0 then
        local left = math.max(0, slot.seconds - (now - slot.toldAt) / 1000)
        words = words .. string.format(' in %d', math.max(1, math.ceil(left * tempo / 60)))
      end
      return words
    end

    -- The present is steady, what comes blinks.
    local function showDetails(slot, now)
      local details = slot.parts.details
      local look = looks[slot.state]
      local text = ''
      if slot.layers > 0 then
        text = slot.layers == 1 and '1 layer' or string.format('%d layers', slot.layers)
      end
      if slot.waits ~= '' then
        text = comingWords(slot, now)
        look = isBright and looks[slot.waits] or look
      end
      details.values.text = text
      details.background = slot.waits ~= ''
      details.color = look.face
      details.textColor = look.text
    end

    local function showSlot(number)
      local slot = slots[number]
      local look = looks[slot.state]
      slot.parts.face.color = look.face
      slot.parts.caption.values.text = number .. '  ' .. look.word
      slot.parts.caption.textColor = look.text
      slot.parts.round.color = look.text
      showDetails(slot, getMillis())
    end

    local function roundOf(slot, now)
      if slot.state == 'recording' then
        return math.min(1, math.max(slot.length, slot.position) / longest)
      end
      if slot.length <= 0 then
        return 0
      end
      local position = slot.position
      if isRunning[slot.state] then
        -- It runs on between two messages.
        position = position + math.min(400, now - slot.heardAt) / 1000
      end
      return position / slot.length % 1
    end

    \(chosenLoop())
    local stateOf = {
    \(states.joined(separator: "\n"))
    }
    for path, number in pairs(stateOf) do
      handlers[path] = function(values)
        local slot = slots[number]
        slot.state = looks[values[1]] and values[1] or 'empty'
        slot.position, slot.length, slot.layers = values[2], values[3], values[4]
        slot.waits = looks[values[5]] and values[5] or ''
        slot.heardAt = getMillis()
        showSlot(number)
        if number == chosen then
          showChosenLoop()
        end
      end
    end
    local nextOf = {
    \(nexts.joined(separator: "\n"))
    }
    for path, number in pairs(nextOf) do
      handlers[path] = function(values)
        slots[number].seconds, slots[number].toldAt = values[2], getMillis()
        showDetails(slots[number], getMillis())
      end
    end

    handlers[\(lua.path("/loops/size"))] = function(values)
      longest = values[2]
      if values[1] ~= #slots then
        say(string.format('The node has %d loops, this surface %d', values[1], #slots))
      end
    end

    handlers[\(lua.path("/metronome/bpm"))] = function(values)
      tempo = values[1]
    end

    function updateLoops(now)
      local blink = math.floor(now / 250) % 2 == 0
      for number, slot in pairs(slots) do
        local x = roundOf(slot, now)
        if math.abs(x - slot.parts.round.values.x) > 0.001 then
          slot.parts.round.values.x = x
        end
        if blink ~= isBright and slot.waits ~= '' then
          showDetails(slot, now)
        end
      end
      isBright = blink
    end

    """
  }

  private static func look(_ look: LoopLook) -> String {
    "{word = \(LuaAddresses.quoted(look.word)), face = \(ControlScripts.color(look.face)), "
      + "text = \(ControlScripts.color(look.text))}"
  }

  private func chosenLoop() throws(SurfaceFault) -> String {
    let lights = PlayerLight.ofChosenLoop.sorted { $0.key < $1.key }.map {
      "  \($0.key) = control('More', '\($0.value)'),"
    }
    return try """
    local lightsOfChosen = {
    \(lights.joined(separator: "\n"))
    }

    local function showChosenLoop()
      for state, group in pairs(lightsOfChosen) do
        light(group, slots[chosen] ~= nil and slots[chosen].state == state, true)
      end
    end

    also(\(lua.path("/loop/select")), function(values)
      chosen = values[1]
      showChosenLoop()
    end)

    """
  }

  /// Writes the script of the presets: each is saved and deleted by a second press.
  func presets() throws(SurfaceFault) -> String {
    let names = SurfaceControl.ownPresets.map(LuaAddresses.quoted).joined(separator: ", ")
    return try """
    local ownNames = {\(names)}
    local ownPresets = {}
    local loaded = ''
    local presetArmed = nil

    also(\(lua.path("/presets/own")), function(values)
      ownPresets = values
    end)
    also(\(lua.path("/preset")), function(values)
      loaded = values[1] or ''
    end)

    local function disarmPreset()
      presetArmed = nil
    end

    local function isOwn(name)
      for _, own in ipairs(ownPresets) do
        if own == name then
          return true
        end
      end
      return false
    end

    function pressPreset(index)
      local name = ownNames[index] or loaded
      local isSaved = isOwn(name)
      if index == 0 and not isSaved then
        say('Load one of your own first')
        return
      end
      local isAgain = presetArmed and presetArmed.index == index and presetArmed.name == name
      -- What was not there is lost by nobody.
      if isAgain or (index > 0 and not isSaved) then
        disarmPreset()
        if index > 0 then
          \(lua.send("/preset/save", ("name", .text)))
          say('Saved as ' .. name)
        else
          \(lua.send("/preset/delete", ("name", .text)))
        end
        return
      end
      presetArmed = {index = index, name = name, since = getMillis()}
      say('Press again to ' .. (index > 0 and 'save as ' or 'delete ') .. name)
    end

    function updatePresets(now)
      if presetArmed and now - presetArmed.since > 3000 then
        disarmPreset()
      end
    end

    """
  }

  /// Writes the script of the songs and the captures.
  func songs() throws(SurfaceFault) -> String {
    try """
    handlers[\(lua.path("/music/state"))] = function(values)
      local text = 'No song plays'
      if values[1] ~= 'stopped' then
        text = string.format('%s  %d of %d s', values[3], values[5], values[6])
      end
      control('Mix', 'song').children.value.values.text = text
    end

    handlers[\(lua.path("/capture/state"))] = function(values)
      local text = 'Nothing is captured'
      if values[1] == 'on' then
        text = string.format('Captured: %d s', values[2])
      end
      control('Mix', 'captured').children.value.values.text = text
    end

    """
  }
}
