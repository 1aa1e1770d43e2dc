internal import Control

extension RootScript {
  /// Writes the script of the player: its buttons, its state and the phrase.
  func player() throws(SurfaceFault) -> String {
    var pages: [String: String] = [:]
    for (page, control) in surface.controls {
      if let flag = PlayerLight.name(of: control) {
        pages[flag] =
          "control(\(LuaAddresses.quoted(page.name)), \(LuaAddresses.quoted(control.name)))"
      }
    }
    let groups = PlayerControls.names.compactMap { pages[$0] }
    guard groups.count == PlayerControls.names.count, let pause = pages["pause"],
      let overdub = pages["overdub"], let undo = pages["undo"], let clear = pages["clear"],
      let keep = pages["save"]
    else { throw SurfaceFault("the surface lacks one of the player's buttons") }
    return try """
    local icons = {
      record = 'Record', stop = 'Stop', play = 'Play', pause = 'Pause', rewind = 'Rewind',
      forward = 'Forward', done = 'Done', close = 'Close'
    }
    local transport = {
    \(groups.map { "  \($0)," }.joined(separator: "\n"))
    }

    handlers[\(lua.path("/player/controls"))] = function(values)
      for index, group in ipairs(transport) do
        local icon = values[index + #transport]
        group.visible = icon ~= ''
        group.children.caption.values.text = icons[icon] or icon
        light(group, values[index] == 1, values[index] == 1)
      end
    end

    local waits = ''
    local state = ''
    local function showState()
      control('Loop', 'state').children.value.values.text = state .. waits
    end

    handlers[\(lua.path("/player/state"))] = function(values)
      local doing = values[1]
      local isBusy = doing ~= 'start'
      local takesMore = doing == 'playing' or doing == 'recording'
      light(\(pause), isBusy, isBusy)
      light(\(overdub), takesMore, takesMore)
      local hasLoop = values[4] > 0
      light(\(keep), hasLoop, hasLoop)
      light(\(clear), hasLoop, hasLoop or isBusy)
      -- An emptied loop comes back as well, of which nothing is told: the finger is let in.
      light(\(undo), values[5] > 0, true)
      state = string.format('%s  %.1f of %.1f s', doing == 'start' and 'ready' or doing, values[3], values[4])
      if values[5] > 0 then
        state = state .. string.format('  %d overdubs', values[5])
      end
      showState()
    end

    handlers[\(lua.path("/player/next"))] = function(values)
      waits = ''
      if values[1] ~= '' then
        waits = '  ' .. values[1] .. ' waits'
        if values[2] >= 0 then
          waits = waits .. string.format(' %.1f s', values[2])
        end
      end
      showState()
    end

    local phrase = ''
    local function showPhrase(note)
      control('Piano', 'phrase').children.value.values.text = phrase .. note
    end
    handlers[\(lua.path("/phrase/state"))] = function(values)
      phrase = string.format('Phrase: %s, %.1f s, %d notes  ', values[1], values[3], values[4])
      showPhrase('')
    end
    handlers[\(lua.path("/phrase/note"))] = function(values)
      showPhrase(values[1])
    end

    """
  }

  /// Writes the script of the grid: its cells fill the page, and grow while they sound.
  func grid() throws(SurfaceFault) -> String {
    var size: (rows: Int, columns: Int)?
    for (_, control) in surface.controls {
      if case .grid(let rows, let columns) = control.kind { size = (rows, columns) }
    }
    guard let size else { throw SurfaceFault("the surface has no grid") }
    return try """
    local cells = control('Grid', 'cells')
    local rows, columns = 0, 0
    local gap = \(plain(LayoutBuilder.gap))
    local mostRows, mostColumns = \(size.rows), \(size.columns)
    local lit = {}
    -- How many cells of a row came after their layout, how many times it was asked for again, and when it is
    -- to be looked over.
    local seen = {}
    local gridTries = 0
    local checkGridAt = nil

    local function placeCell(row, column)
      local place = row .. ' ' .. column
      local cell, name = cells.children['cell ' .. place], cells.children['name ' .. place]
      local shownRows, shownColumns = math.min(rows, mostRows), math.min(columns, mostColumns)
      -- Whole points.
      local width = math.floor((cells.frame.w - gap * (shownColumns + 1)) / shownColumns)
      local height = math.floor((cells.frame.h - gap * (shownRows + 1)) / shownRows)
      local x = gap + (column - 1) * (width + gap)
      local y = gap + (row - 1) * (height + gap)
      -- As far as the middle of the gap, so that two neighbours both show.
      local growth = (lit[place] or 0) > 0 and gap / 2 or 0
      local frame = Rectangle(x - growth, y - growth, width + 2 * growth, height + 2 * growth)
      cell.frame = frame
      name.frame = frame
      name.color = growth > 0 and bright.play or dim.play
      name.textSize = math.floor(math.max(8, math.min(26, math.min(width * 0.4, height * 0.4))))
    end

    local function hasCell(row, column)
      return row >= 1 and row <= math.min(rows, mostRows) and column >= 1
        and column <= math.min(columns, mostColumns)
    end

    handlers[\(lua.path("/grid/layout"))] = function(values)
      if rows ~= values[1] or columns ~= values[2] then
        gridTries = 0
      end
      rows, columns = values[1], values[2]
      lit = {}
      seen = {}
      checkGridAt = getMillis() + 300
      for row = 1, mostRows do
        for column = 1, mostColumns do
          local place = row .. ' ' .. column
          cells.children['cell ' .. place].visible = false
          cells.children['name ' .. place].visible = false
        end
      end
      if rows > mostRows or columns > mostColumns then
        say('This grid is larger than the surface: ' .. rows .. ' x ' .. columns)
      end
    end

    handlers[\(lua.path("/grid/cell"))] = function(values)
      local row, column = values[1], values[2]
      seen[row] = (seen[row] or 0) + 1
      -- Also where it is their layout that got lost: then there are too many.
      checkGridAt = checkGridAt or getMillis() + 300
      if hasCell(row, column) then
        local place = row .. ' ' .. column
        local cell, name = cells.children['cell ' .. place], cells.children['name ' .. place]
        name.values.text = values[3]
        name.visible = true
        if not cell.visible then
          -- A finger that was on it when it was hidden, is not seen to go.
          cell.values.x = 0
          cell.visible = true
        end
        placeCell(row, column)
      end
    end

    -- A cell that got lost would be a hole: but for the last row all are full.
    function updateGrid(now)
      if not checkGridAt or now < checkGridAt then
        return
      end
      checkGridAt = nil
      local isWhole = (seen[rows] or 0) > 0
      for row = 1, rows - 1 do
        isWhole = isWhole and seen[row] == columns
      end
      if isWhole then
        gridTries = 0
      elseif gridTries < 3 then
        -- The highest notes of very many octaves have no buttons: three times at the most.
        gridTries = gridTries + 1
        \(lua.send("/grid/layout"))
      end
    end

    handlers[\(lua.path("/grid/lit"))] = function(values)
      local row, column = values[1], values[2]
      if hasCell(row, column) then
        lit[row .. ' ' .. column] = values[3]
        placeCell(row, column)
      end
    end

    """
  }
}
