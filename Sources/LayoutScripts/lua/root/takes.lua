-- The takes, newest first.
local word = nil

function chooseWord(chosen)
  word = layout.words[chosen]
  local group = control('Takes', 'title').children
  for index = 1, #layout.words do
    paint(group['name-' .. index], index == chosen, 'plain')
  end
end

local perPage = layout.takes
local offset = 0
local total = nil
local shown = {}
local incoming = nil
local takesQueriedAt = 0
local takesTries = 0
local takesRefreshAt = nil
local armed = nil
-- The id of the take that plays; empty for none.
local takePlaying = ''

local function queryTakes()
  takesRefreshAt = nil
  takesQueriedAt = getMillis()
  incoming = {}
  sendOSC('/takes', offset, perPage, {true})
end

local function disarm()
  if armed then
    local row = control('Takes', 'take-' .. armed.row).children
    row['caption-delete'].values.text = 'Delete'
    row['caption-delete'].color = dim.danger
    armed = nil
  end
end

local function showTakePlaying()
  for row = 1, perPage do
    local plays = shown[row] and shown[row].id == takePlaying
    control('Takes', 'take-' .. row).children['caption-play'].values.text = plays and 'Stop' or 'Play'
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
    group.title.values.text = take and take.title or ''
    group.details.values.text = take and take.details or ''
    group.found.values.text = take and take.found or ''
  end
  showTakePlaying()
  local count = math.max(1, math.ceil((total or 0) / perPage))
  local page = math.floor(offset / perPage) + 1
  write('Takes', 'pages', string.format('%d of %d, %d takes', page, count, total or 0))
end

handlers['/take'] = function(values)
  if not incoming then
    takesRefreshAt = getMillis() + 100
    return
  end
  local details = minute(values[4]) .. string.format('  %.1f s', values[5])
  local found = values[3]
  -- NaN is not equal to itself.
  if values[6] == values[6] then
    found = found .. (found == '' and '' or '  ') .. string.format('%.3f, %.3f', values[6], values[7])
  end
  table.insert(incoming, {
    id = values[1], title = values[2], species = values[3], details = details, found = found
  })
end

handlers['/takes/end'] = function(values)
  if not incoming then
    return
  end
  local isWhole = #incoming == values[1]
  if isWhole or takesTries >= 3 then
    shown = incoming
    takesTries = 0
  else
    -- One was lost, or announced in between.
    takesTries = takesTries + 1
    takesRefreshAt = getMillis() + 200
  end
  incoming = nil
  if #shown == 0 and offset > 0 then
    offset = math.max(0, offset - perPage)
    takesRefreshAt = getMillis()
  end
  showTakes()
end

-- Queries a busy node again, at most three times. Other errors are final.
function refuseTakes(code)
  incoming = nil
  if code == 'busy' and takesTries < 3 then
    takesTries = takesTries + 1
    takesRefreshAt = getMillis() + 1000
  end
end

handlers['/takes/total'] = function(values)
  total = values[1]
  takesRefreshAt = getMillis() + 100
end

handlers['/take/playing'] = function(values)
  takePlaying = values[1]
  showTakePlaying()
end

handlers['/take/delete'] = function(values)
  takesRefreshAt = getMillis() + 100
end

function turnTakes(by)
  offset = math.max(0, offset + by * perPage)
  if total and offset >= total then
    offset = math.max(0, math.ceil(total / perPage) - 1) * perPage
  end
  queryTakes()
end

-- The species that takes have, and those of the node's list: each press gives a take the next one.
local named = nil
local names = nil

local function nextSpecies(row)
  named = shown[row]
  if named then
    names = {}
    sendOSC('/species', {true})
  end
end

handlers['/species/name'] = function(values)
  if names then
    table.insert(names, values[1])
  end
end

handlers['/species/end'] = function()
  if not names then
    return
  end
  -- The node's order changes with each choice.
  table.sort(names)
  if #names == 0 then
    notify('No species yet: name one on the page, or in species.txt')
  else
    local index = 0
    for at = 1, #names do
      if names[at] == named.species then
        index = at
      end
    end
    -- None follows the last one.
    sendOSC('/take/species', named.id, names[index + 1] or '', {true})
  end
  names = nil
end

function playTake(row)
  local take = shown[row]
  if take and take.id == takePlaying then
    sendOSC('/take/stop', {true})
  elseif take then
    sendOSC('/take/play', take.id, {true})
  end
end

function titleTake(row)
  local take = shown[row]
  if not word then
    notify('Choose a title below first')
  elseif word == 'Species' then
    nextSpecies(row)
  elseif take then
    sendOSC('/take/title', take.id, word, {true})
  end
end

-- The first press arms it, a second one within three seconds deletes.
function deleteTake(row)
  local take = shown[row]
  if not take then
    return
  end
  if armed and armed.id == take.id then
    disarm()
    sendOSC('/take/delete', take.id, {true})
    return
  end
  disarm()
  armed = {row = row, id = take.id, since = getMillis()}
  local face = control('Takes', 'take-' .. row).children['caption-delete']
  face.values.text = 'Again?'
  face.color = bright.record
  notify('Press again to delete ' .. take.title)
end

function updateTakes(now)
  if takesRefreshAt and now >= takesRefreshAt then
    queryTakes()
  end
  -- The query or its reply was lost.
  if incoming and now - takesQueriedAt > 2000 and not isSilent(now) then
    queryTakes()
  end
  if armed and now - armed.since > 3000 then
    disarm()
  end
end
