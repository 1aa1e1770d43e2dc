import TestSupport
import Testing

extension NodeTests.PageTests {
  /// Notices, which take the place of the meters.
  @Suite struct PageNoticeTests {
    private let stage: PageStage
    private var browser: Browser { stage.browser }

    init() throws { stage = try PageStage.ready() }

    /// The controls under the notice; pages are cut at the edges of the main part.
    private func covered() throws -> String {
      try browser.text(
        """
        const line = document.querySelector('#notice').getBoundingClientRect();
        const main = document.querySelector('main').getBoundingClientRect();
        return [...document.querySelectorAll('button, a, input, select, textarea, [data-cell]')]
          .filter((one) => {
            let { top, bottom, left, right } = one.getBoundingClientRect();
            if (one.closest('main')) [top, bottom] = [Math.max(top, main.top), Math.min(bottom, main.bottom)];
            return one.id !== 'notice-action' && one.checkVisibility({ visibilityProperty: true })
              && left < right && top < bottom && top < line.bottom && bottom > line.top
              && left < line.right && right > line.left;
          }).map((one) => one.textContent || one.id).join()
        """)
    }

    private func show(_ words: String, action: String) throws {
      try browser.run(
        """
        return import('/page/parts/notice.js')
          .then(({ notify }) => notify(arguments[0], 'fault', \(action)))
        """, words)
      try browser.await("document.querySelector('#notice').classList.contains('shown')")
      try stage.awaitRest()
    }

    private func isOutside() throws -> Bool? {
      try browser.run(
        """
        const { left, right, top, bottom } = document.querySelector('#notice').getBoundingClientRect();
        return left < 0 || top < 0 || right > innerWidth || bottom > innerHeight;
        """) as? Bool
    }

    private static let sizes: [Browser.Size] = [
      .phone, .tallPhone, .turnedPhone, .tablet, .smallLaptop,
    ]

    @Test(.hangLimit, arguments: sizes)
    func `a notice covers no control of any page`(_ size: Browser.Size) throws {
      try browser.resize(size)
      defer { try? browser.resize(.tablet) }
      for page in PageStage.pages {
        try stage.turn(to: page)
        if page == "play" {
          try browser.run("document.querySelector('[data-turn=piano]').click()")
        }
        for (words, action) in [
          ("Unknown scale domian; did you mean dorian?", "undefined"),
          ("Take loaded", "['Undo', () => {}]"),
        ] {
          try show(words, action: action)
          let covered = try covered()
          #expect(covered == "", "\(page) at \(size)")
          #expect(try isOutside() == false, "\(page) at \(size)")
        }
        if page == "play" {
          try browser.run("document.querySelector('[data-turn=voice]').click()")
        }
      }
    }

    @Test(.hangLimit, arguments: sizes)
    func `a long notice stays in the window, and taps reach what is below it`(
      _ size: Browser.Size
    ) throws {
      try browser.resize(size)
      defer { try? browser.resize(.tablet) }
      try stage.turn(to: "play")
      let words =
        "can't post to the board at https://birds.example.org:8443/board: the name is not known; "
        + "change Feed server on the Rig page, or post the take later from the list of takes"
      try show(words, action: "['Undo', () => {}]")
      #expect(try isOutside() == false)
      let isOverStage = try browser.run(
        """
        const line = document.querySelector('#notice').getBoundingClientRect();
        return ['mute', 'stop-all', 'lock'].some((id) => {
          const { top, bottom, left, right } = document.getElementById(id).getBoundingClientRect();
          return top < line.bottom && bottom > line.top && left < line.right && right > line.left;
        });
        """)
      #expect(isOverStage as? Bool == false)
      let isReached = try browser.run(
        """
        const { left, top, height } = document.querySelector('#notice-text').getBoundingClientRect();
        const below = document.elementFromPoint(left + 20, top + height / 2);
        return below !== null && !below.closest('#notice');
        """)
      #expect(isReached as? Bool == true)
    }

    @Test(.hangLimit)
    func `a warning leaves Undo to be pressed, and is shown after it`() throws {
      try browser.run("document.body.undone = false")
      try show("Wren moved to the trash", action: "['Undo', () => (document.body.undone = true)]")
      try browser.run(
        """
        return import('/page/store/values.js').then(({ receive }) =>
          receive("/warning", ["test", "the disk of a test is nearly full"]))
        """)
      try browser.tap("#notice-action")
      try browser.await("document.body.undone")
      try browser.await(
        """
        document.querySelector('#notice').classList.contains('shown')
          && document.querySelector('#notice-text').textContent === 'The disk of a test is nearly full'
        """)
      try browser.run(
        """
        return import('/page/store/values.js').then(({ receive }) => receive("/warning", ["test", ""]))
        """)
    }
  }
}
