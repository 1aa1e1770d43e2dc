internal import Control

extension RootScript {
  /// Writes the script of the feed, newest first.
  func posts() throws(SurfaceFault) -> String {
    try """
    local postsOnPage = \(SurfaceScreen.posts)
    local posts = {}
    local arriving = nil
    local before = 0
    local postsAskedAt = 0
    local postsRefreshAt = nil

    local function askPosts()
      postsRefreshAt = nil
      postsAskedAt = getMillis()
      arriving = {}
      \(lua.send("/feed", ("before", .whole), ("postsOnPage", .whole)))
    end

    local function showPosts()
      for row = 1, postsOnPage do
        local post = posts[row]
        local group = control('Feed', 'post-' .. row).children
        for index = 1, #group do
          -- What has no sound is only to be read.
          local isText = group[index].name == 'message' or group[index].name == 'details'
          group[index].visible = post ~= nil and (isText or post.hasSound)
        end
        group.message.values.text = post and post.message or ''
        group.details.values.text = post and post.details or ''
      end
    end

    handlers[\(lua.path("/post"))] = function(values)
      if not arriving then
        -- News: they stand on the first page.
        if before == 0 then
          postsRefreshAt = getMillis() + 100
        end
        return
      end
      local date = string.sub(values[3], 1, 10) .. ' ' .. string.sub(values[3], 12, 16)
      local details = values[2] .. '  ' .. date
      if values[5] > 0 then
        details = details .. string.format('  %.1f s', values[5])
      end
      table.insert(arriving, {
        number = values[1], message = values[4], details = details, hasSound = values[5] >= 0
      })
    end

    handlers[\(lua.path("/feed/end"))] = function(values)
      if not arriving then
        return
      end
      if #arriving == 0 and before > 0 then
        say('There are no older posts')
      else
        posts = arriving
      end
      arriving = nil
      showPosts()
    end

    handlers[\(lua.path("/feed/deleted"))] = function(values)
      postsRefreshAt = getMillis() + 100
    end

    handlers[\(lua.path("/feed/board"))] = function(values)
      before = 0
      postsRefreshAt = getMillis() + 100
    end

    handlers[\(lua.path("/feed/waiting"))] = function(values)
      local text = ''
      if values[1] > 0 then
        text = string.format('%d waiting for the board', values[1])
      end
      control('Feed', 'waiting').children.value.values.text = text
    end

    function refusePosts()
      arriving = nil
    end

    function turnPosts(where)
      if where == 'clip' then
        \(lua.send("/feed/post/clip", ("''", .text)))
        return
      end
      local last = posts[#posts]
      if where == 'older' and last then
        before = last.number
      else
        before = 0
      end
      askPosts()
    end

    function actOnPost(what, row)
      local post = posts[row]
      if not post then
        return
      end
      local number = post.number
      if what == 'play' then
        \(lua.send("/feed/play", ("number", .whole)))
      else
        \(lua.send("/feed/keep", ("number", .whole)))
      end
    end

    function updatePosts(now)
      if postsRefreshAt and now >= postsRefreshAt then
        askPosts()
      end
      -- The question or its answer got lost.
      if arriving and now - postsAskedAt > 5000 and not isSilent(now) then
        askPosts()
      end
    end

    """
  }
}
