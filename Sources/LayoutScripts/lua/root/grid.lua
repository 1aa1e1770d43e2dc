-- The grid: its cells fill the page, and grow while they sound.
local cells = control('Grid', 'cells')
local rows, columns = 0, 0
local gap = layout.grid.gap
local mostRows, mostColumns = layout.grid.rows, layout.grid.columns
local lit = {}
-- The cells received of each row of the present layout, how often a lost one was queried, and when to
-- check again.
local received = {}
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
  -- To the middle of the gap, so that two neighbors stay distinct.
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

handlers['/grid/layout'] = function(values)
  if rows ~= values[1] or columns ~= values[2] then
    gridTries = 0
  end
  rows, columns = values[1], values[2]
  lit = {}
  received = {}
  checkGridAt = getMillis() + 300
  for row = 1, mostRows do
    for column = 1, mostColumns do
      local place = row .. ' ' .. column
      cells.children['cell ' .. place].visible = false
      cells.children['name ' .. place].visible = false
    end
  end
  if rows > mostRows or columns > mostColumns then
    notify('This grid is larger than the layout: ' .. rows .. ' x ' .. columns)
  end
end

handlers['/grid/cell'] = function(values)
  local row, column = values[1], values[2]
  received[row] = (received[row] or 0) + 1
  -- Also if the layout before them was lost: then there are too many.
  checkGridAt = checkGridAt or getMillis() + 300
  if hasCell(row, column) then
    local place = row .. ' ' .. column
    local cell, name = cells.children['cell ' .. place], cells.children['name ' .. place]
    name.values.text = values[3]
    name.visible = true
    if not cell.visible then
      -- The release of a finger that was on it when it was hidden is not seen.
      cell.values.x = 0
      cell.visible = true
    end
    placeCell(row, column)
  end
end

-- A lost cell would be a hole. All rows but the last are full.
function updateGrid(now)
  if not checkGridAt or now < checkGridAt then
    return
  end
  checkGridAt = nil
  local isWhole = (received[rows] or 0) > 0
  for row = 1, rows - 1 do
    isWhole = isWhole and received[row] == columns
  end
  if isWhole then
    gridTries = 0
  elseif gridTries < 3 then
    -- At most three times: with very many octaves the highest notes have no cells.
    gridTries = gridTries + 1
    sendOSC('/grid/layout', {true})
  end
end

handlers['/grid/lit'] = function(values)
  local row, column = values[1], values[2]
  if hasCell(row, column) then
    lit[row .. ' ' .. column] = values[3]
    placeCell(row, column)
  end
end
