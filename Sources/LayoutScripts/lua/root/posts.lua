-- The feed, newest first.
local posts = {}
local arriving = nil
local before = 0
-- Where the newer pages begin.
local newer = {}
-- The number of the post that plays; 0 for none.
local postPlaying = 0
local postsQueriedAt = 0
local postsRefreshAt = nil

local function queryPosts()
  postsRefreshAt = nil
  postsQueriedAt = getMillis()
  arriving = {}
  sendOSC('/feed', before, layout.posts, {true})
end

local function showPostPlaying()
  for row = 1, layout.posts do
    local plays = posts[row] and posts[row].number == postPlaying
    control('Feed', 'post-' .. row).children['caption-play'].values.text = plays and 'Stop' or 'Play'
  end
end

local function showPosts()
  for row = 1, layout.posts do
    local post = posts[row]
    local group = control('Feed', 'post-' .. row).children
    for index = 1, #group do
      -- A post without sound has only its text.
      local isText = group[index].name == 'message' or group[index].name == 'details'
      group[index].visible = post ~= nil and (isText or post.hasSound)
    end
    group.message.values.text = post and post.message or ''
    group.details.values.text = post and post.details or ''
  end
  showPostPlaying()
end

handlers['/post'] = function(values)
  if not arriving then
    -- A new post belongs on the first page.
    if before == 0 then
      postsRefreshAt = getMillis() + 100
    end
    return
  end
  local details = values[2] .. '  ' .. minute(values[3])
  if values[5] > 0 then
    details = details .. string.format('  %.1f s', values[5])
  end
  table.insert(arriving, {
    number = values[1], message = values[4], details = details, hasSound = values[5] >= 0
  })
end

handlers['/feed/end'] = function(values)
  if not arriving then
    return
  end
  if #arriving == 0 and before > 0 then
    notify('No older posts')
    before = table.remove(newer) or 0
  else
    posts = arriving
  end
  arriving = nil
  showPosts()
end

handlers['/feed/deleted'] = function(values)
  postsRefreshAt = getMillis() + 100
end

handlers['/feed/playing'] = function(values)
  postPlaying = values[1]
  showPostPlaying()
end

handlers['/feed/board'] = function(values)
  before = 0
  newer = {}
  postsRefreshAt = getMillis() + 100
end

handlers['/feed/waiting'] = function(values)
  write('Feed', 'waiting', values[1] > 0 and string.format('%d waiting for the feed server', values[1]) or '')
end

function refusePosts()
  arriving = nil
end

function turnPosts(where)
  if where == 'clip' then
    sendOSC('/feed/post/clip', '', {true})
    return
  elseif where == 'stop' then
    sendOSC('/feed/stop', {true})
    return
  end
  local last = posts[#posts]
  if where == 'newer' then
    before = table.remove(newer) or 0
  elseif last then
    table.insert(newer, before)
    before = last.number
  end
  queryPosts()
end

function actOnPost(action, row)
  local post = posts[row]
  if post and action == 'play' and post.number == postPlaying then
    sendOSC('/feed/stop', {true})
  elseif post and action == 'play' then
    sendOSC('/feed/play', post.number, {true})
  elseif post then
    sendOSC('/feed/keep', post.number, {true})
  end
end

function updatePosts(now)
  if postsRefreshAt and now >= postsRefreshAt then
    queryPosts()
  end
  -- The query or its reply was lost.
  if arriving and now - postsQueriedAt > 5000 and not isSilent(now) then
    queryPosts()
  end
end
