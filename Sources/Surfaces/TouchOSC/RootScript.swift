internal import Control

/// The Lua script of a layout's root: all that concerns more than one control.
///
/// The root sees every message that comes, and each handler here takes those of one address. What
/// belongs to a fader or a toggle as well goes on to it afterwards.
struct RootScript {
  let surface: Surface
  let lua: LuaAddresses

  /// Writes the whole script.
  func text(receivePort: Int) throws(SurfaceFault) -> String {
    let parts = try [
      ground(), choices(), connection(receivePort), meters(), player(), loops(), grid(), names(),
      presets(), songs(), takes(), posts(), presses(), entry(),
    ]
    let text = parts.joined(separator: "\n")
    // The later of two would be heard alone.
    var heard = Set(choiceEntries().map { $0.path })
    for match in text.matches(of: /handlers\['([^']+)'\] =/) {
      guard heard.insert(String(match.1)).inserted else {
        throw SurfaceFault("two parts of the surface show what comes at \(match.1)")
      }
    }
    return text
  }

  // What the other parts stand on.
  private func ground() -> String {
    let accents = SurfaceControl.Accent.allCases
    return """
      -- Made by `syrinx layout touchosc`: change the generator, not this.
      local bar = self.children.bar.children
      local pager = self.children.pages
      local pages = pager.children
      local tabs = self.children.tabs.children
      local handlers = {}
      local white = \(ControlScripts.color(.text))
      local quiet = \(ControlScripts.color(.quiet))
      local off = \(ControlScripts.color(.off))
      local bright = {
      \(accents.map { "  \($0) = \(ControlScripts.color($0.color))," }.joined(separator: "\n"))
      }
      local dim = {
      \(accents.map { "  \($0) = \(ControlScripts.color($0.color.dimmed))," }
        .joined(separator: "\n"))
      }

      local ink = {
      \(accents.map { "  \($0) = \(ControlScripts.color($0.color.ink))," }.joined(separator: "\n"))
      }

      -- One more part that shows what comes at an address.
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

      -- A button that can't be pressed is grey, and lets no finger in.
      local function light(group, isLit, isEnabled)
        local face = group.children.caption
        group.children.button.interactive = isEnabled
        if not isEnabled then
          -- A finger that is on it is not seen to go.
          group.children.button.values.x = 0
          face.color = off
          face.textColor = quiet
        else
          face.color = (isLit and bright or dim)[group.tag]
          face.textColor = isLit and ink[group.tag] or white
        end
      end

      local usual = 'not connected'
      local said = nil
      -- Says something for four seconds.
      local function say(text)
        bar.status.values.text = text
        said = getMillis()
      end

      """
  }

  // The buttons that are lit while an address has their word, address by address.
  private func choiceEntries() -> [(path: String, entries: [String])] {
    var byPath: [(path: String, entries: [String])] = []
    for (page, control) in surface.controls {
      guard case .choice(let use) = control.kind, let constant = use.constants.first else {
        continue
      }
      let value =
        switch constant {
        case .text(let text): LuaAddresses.quoted(text)
        case .number(let number): plain(Double(number))
        }
      let entry =
        "{"
        + [LuaAddresses.quoted(page.name), LuaAddresses.quoted(control.name), value]
        .joined(separator: ", ") + "}"
      if let index = byPath.firstIndex(where: { $0.path == use.path }) {
        byPath[index].entries.append(entry)
      } else {
        byPath.append((use.path, [entry]))
      }
    }
    return byPath
  }

  private func choices() throws(SurfaceFault) -> String {
    var lines: [String] = []
    for (path, entries) in choiceEntries() {
      lines.append("  [\(try lua.path(path))] = {\(entries.joined(separator: ", "))},")
    }
    return """
      -- The buttons have one name for each root.
      local same = {
        Db = 'C#', Eb = 'D#', Gb = 'F#', Ab = 'G#', Bb = 'A#', Cb = 'B', Fb = 'E', ['E#'] = 'F', ['B#'] = 'C'
      }
      local choices = {
      \(lines.joined(separator: "\n"))
      }

      local function isAlike(value, wanted)
        if type(wanted) == 'number' then
          return type(value) == 'number' and math.abs(value - wanted) < 0.0005
        end
        return (same[value] or value) == wanted
      end

      local function showChoice(path, value)
        for _, entry in ipairs(choices[path]) do
          light(control(entry[1], entry[2]), isAlike(value, entry[3]), true)
        end
      end
      for path, _ in pairs(choices) do
        handlers[path] = function(values)
          showChoice(path, values[1])
        end
      end

      """
  }

  // Subscribes, and sees whether the node is there and still the same.
  private func connection(_ receivePort: Int) throws(SurfaceFault) -> String {
    try """
    local engine = nil
    -- When levels came last: they come thirty times a second, to subscribers alone.
    local lastHeard = nil
    local nextPing = 0
    local name = 'connected'

    local function turnPage(page)
      pager.values.page = page - 1
      for index = 1, #pages do
        local face = tabs['name-' .. index]
        face.color = (index == page and bright or dim).plain
        face.textColor = index == page and ink.plain or white
      end
    end

    local function subscribe()
      \(lua.send("/subscribe", ("\(receivePort)", .whole)))
    end

    local function showConnection(isThere)
      bar.lamp.color = isThere and bright.play or bright.record
      usual = isThere and name or 'not connected'
      if not said then
        bar.status.values.text = usual
      end
    end

    local function isSilent(now)
      return lastHeard == nil or now - lastHeard > 12000
    end

    local function ping(now)
      nextPing = now + 5000
      -- Start again, also where the node has forgotten this surface, but answers it.
      if isSilent(now) then
        lastHeard = nil
        showConnection(false)
        subscribe()
      end
      \(lua.send("/ping"))
    end

    handlers[\(lua.path("/pong"))] = function(values)
      if engine ~= nil and engine ~= values[4] then
        subscribe()
      end
      engine = values[4]
      name = values[2] .. ' ' .. values[3]
      showConnection(lastHeard ~= nil)
    end

    handlers[\(lua.path("/error"))] = function(values)
      say(values[3])
      if values[1] == \(lua.path("/takes")) then
        refuseTakes(values[2])
      end
      if values[1] == \(lua.path("/feed")) then
        refusePosts()
      end
    end

    """
  }

  private func meters() throws(SurfaceFault) -> String {
    try """
    local function level(decibels)
      return math.max(0, math.min(1, (decibels + 60) / 60))
    end

    handlers[\(lua.path("/meter"))] = function(values)
      if lastHeard == nil then
        showConnection(true)
      end
      lastHeard = getMillis()
      bar['in'].values.x = level(math.max(values[1], values[2]))
      bar.out.values.x = level(math.max(values[9], values[10]))
    end

    """
  }

  // What a finger on a scripted button means.
  private func presses() throws(SurfaceFault) -> String {
    var steppers: [String] = []
    var steps: [String] = []
    for (page, control) in surface.controls {
      guard case .stepper(let use) = control.kind else { continue }
      let path = try lua.path(use.path)
      let range = use.range
      steppers.append(
        """
        also(\(path), function(values)
          control('\(page.name)', '\(control.name)').children.value.values.text = string.format('%d', values[1])
        end)

        """)
      steps.append(
        """
          if words[2] == \(path) then
            local value = tonumber(control('\(page.name)', '\(control.name)').children.value.values.text)
            if value then
              value = math.max(\(plain(Double(range.lowerBound))), math.min(\(plain(Double(range.upperBound))), value + tonumber(words[3])))
              \(try lua.send(use.path, ("value", .whole)))
            end
          end

        """)
    }
    return steppers.joined() + """
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
      \(steps.joined())end

      function presses.word(words)
        chooseWord(tonumber(words[3]))
      end

      function presses.title(words)
        titleTake(tonumber(words[2]))
      end

      function presses.delete(words)
        deleteTake(tonumber(words[2]))
      end

      """
  }

  private func entry() -> String {
    """
    function onReceiveNotify(key, value)
      if key == 'press' then
        local words = {}
        for word in string.gmatch(value, '[^ ]+') do
          table.insert(words, word)
        end
        presses[words[1]](words)
      end
    end

    function onReceiveOSC(message, connections)
      local handler = handlers[message[1]]
      if handler and connections[1] then
        local values = {}
        for index, argument in ipairs(message[2]) do
          values[index] = argument.value
        end
        handler(values)
      end
      -- Faders and toggles see it as well.
      return false
    end

    function init()
      bar.status.values.text = usual
      nextPing = 0
    end

    function update()
      local now = getMillis()
      if now >= nextPing then
        ping(now)
      end
      if said and now - said > 4000 then
        said = nil
        bar.status.values.text = usual
      end
      updateLoops(now)
      updatePresets(now)
      updateGrid(now)
      updateTakes(now)
      updatePosts(now)
    end
    """
  }
}
