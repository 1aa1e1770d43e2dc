internal import Control

extension RootScript {
  /// Writes the script of the lists of names, a page at a time.
  func names() throws(SurfaceFault) -> String {
    var lists: [String] = []
    var hooks: [String] = []
    for (page, control) in surface.controls {
      guard case .names(let list, let chosen, let rows, let columns) = control.kind else {
        continue
      }
      lists.append(
        "  ['\(control.name)'] = {page = '\(page.name)', caption = \(LuaAddresses.quoted(control.caption)), accent = '\(control.accent)', "
          + "slots = \(rows * columns), first = 0, names = {}, chosen = ''},")
      hooks.append(
        """
        handlers[\(try lua.path(list.path))] = function(values)
          lists['\(control.name)'].names = values
          showChosen('\(control.name)')
        end
        also(\(try lua.path(chosen.path)), function(values)
          lists['\(control.name)'].chosen = values[1]
          showChosen('\(control.name)')
        end)

        """)
    }
    return """
      local lists = {
      \(lists.joined(separator: "\n"))
      }

      local function showNames(key)
        local list = lists[key]
        local group = control(list.page, key).children
        group.caption.values.text = list.caption .. ': ' .. list.chosen
        for slot = 1, list.slots do
          local name = list.names[list.first + slot]
          local button, face = group['slot-' .. slot], group['name-' .. slot]
          button.visible = name ~= nil
          face.visible = name ~= nil
          button.tag = name or ''
          face.values.text = name or ''
          local isChosen = name ~= nil and name == list.chosen
          face.color = (isChosen and bright or dim)[list.accent]
          face.textColor = isChosen and ink[list.accent] or white
        end
      end

      function turnNames(key, by)
        local list = lists[key]
        local pages = math.max(1, math.ceil(#list.names / list.slots))
        list.first = (math.floor(list.first / list.slots) + by) % pages * list.slots
        showNames(key)
      end

      -- Turns to the page of the present one.
      local function showChosen(key)
        local list = lists[key]
        for index, name in ipairs(list.names) do
          if name == list.chosen then
            list.first = math.floor((index - 1) / list.slots) * list.slots
          end
        end
        showNames(key)
      end

      """ + hooks.joined()
  }

  /// Writes the script of the takes, newest first.
  func takes() throws(SurfaceFault) -> String {
    guard
      let words = surface.controls.lazy.compactMap({ (_, control) -> [String]? in
        if case .words(let words) = control.kind { words } else { nil }
      }).first
    else { throw SurfaceFault("the surface has no words for titles") }
    return try """
    local words = {\(words.map(LuaAddresses.quoted).joined(separator: ", "))}
    local word = nil

    function chooseWord(chosen)
      word = words[chosen]
      local group = control('Takes', 'title').children
      for index = 1, #words do
        group['name-' .. index].color = (index == chosen and bright or dim).plain
        group['name-' .. index].textColor = index == chosen and ink.plain or white
      end
    end

    local perPage = \(SurfaceScreen.takes)
    local offset = 0
    local total = nil
    local shown = {}
    local incoming = nil
    local askedAt = 0
    local tries = 0
    local refreshAt = nil
    local armed = nil

    local function askTakes()
      refreshAt = nil
      askedAt = getMillis()
      incoming = {}
      \(lua.send("/takes", ("offset", .whole), ("perPage", .whole)))
    end

    local function disarm()
      if armed then
        local row = control('Takes', 'take-' .. armed.row).children
        row['caption-delete'].values.text = 'Delete'
        row['caption-delete'].color = dim.danger
        armed = nil
      end
    end

    local function showTakes()
      disarm()
      for row = 1, perPage do
        local take = shown[row]
        local group = control('Takes', 'take-' .. row).children
        for index = 1, #group do
          group[index].visible = take ~= nil
        end
        group.play.tag = take and take.id or ''
        group.title.values.text = take and take.title or ''
        group.details.values.text = take and take.details or ''
      end
      local pages = math.max(1, math.ceil((total or 0) / perPage))
      control('Takes', 'pages').children.value.values.text = string.format(
        '%d of %d, %d takes', math.floor(offset / perPage) + 1, pages, total or 0)
    end

    handlers[\(lua.path("/take"))] = function(values)
      if not incoming then
        refreshAt = getMillis() + 100
        return
      end
      local date = string.sub(values[4], 1, 10) .. ' ' .. string.sub(values[4], 12, 16)
      local details = date .. string.format('  %.1f s', values[5])
      if values[3] ~= '' then
        details = details .. '  ' .. values[3]
      end
      table.insert(incoming, {id = values[1], title = values[2], details = details})
    end

    handlers[\(lua.path("/takes/end"))] = function(values)
      if not incoming then
        return
      end
      local isWhole = #incoming == values[1]
      if isWhole or tries >= 3 then
        shown = incoming
        tries = 0
      else
        -- One got lost, or was told meanwhile.
        tries = tries + 1
        refreshAt = getMillis() + 200
      end
      incoming = nil
      if #shown == 0 and offset > 0 then
        offset = math.max(0, offset - perPage)
        refreshAt = getMillis()
      end
      showTakes()
    end

    -- What is busy is asked again, three times at the most; what else was wrong, stays so.
    function refuseTakes(code)
      incoming = nil
      if code == 'busy' and tries < 3 then
        tries = tries + 1
        refreshAt = getMillis() + 1000
      end
    end

    handlers[\(lua.path("/takes/total"))] = function(values)
      total = values[1]
      refreshAt = getMillis() + 100
    end

    handlers[\(lua.path("/take/delete"))] = function(values)
      refreshAt = getMillis() + 100
    end

    function turnTakes(by)
      offset = math.max(0, offset + by * perPage)
      if total and offset >= total then
        offset = math.max(0, math.ceil(total / perPage) - 1) * perPage
      end
      askTakes()
    end

    function titleTake(row)
      local take = shown[row]
      local title = word
      if not title then
        say('Choose a title below first')
      elseif take then
        local id = take.id
        \(lua.send("/take/title", ("id", .text), ("title", .text)))
      end
    end

    -- The first press asks, the second one within three seconds deletes.
    function deleteTake(row)
      local take = shown[row]
      if not take then
        return
      end
      if armed and armed.id == take.id then
        local id = take.id
        disarm()
        \(lua.send("/take/delete", ("id", .text)))
        return
      end
      disarm()
      armed = {row = row, id = take.id, since = getMillis()}
      local face = control('Takes', 'take-' .. row).children['caption-delete']
      face.values.text = 'Again?'
      face.color = bright.record
      say('Press again to delete ' .. take.title)
    end

    function updateTakes(now)
      if refreshAt and now >= refreshAt then
        askTakes()
      end
      -- The question or its answer got lost.
      if incoming and now - askedAt > 2000 and not isSilent(now) then
        askTakes()
      end
      if armed and now - armed.since > 3000 then
        disarm()
      end
    end

    """
  }
}
