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
          try browser.run(
            """
            return import('/page/parts/notice.js')
              .then(({ notify }) => notify(arguments[0], 'fault', \(action)))
            """, words)
          try browser.await("document.querySelector('#notice').classList.contains('shown')")
          try stage.awaitRest()
          let covered = try covered()
          #expect(covered == "", "\(page) at \(size)")
          let outside = try browser.run(
            """
            const { left, right, top, bottom } = document.querySelector('#notice').getBoundingClientRect();
            return left < 0 || top < 0 || right > innerWidth || bottom > innerHeight;
            """)
          #expect(outside as? Bool == false, "\(page) at \(size)")
        }
        if page == "play" {
          try browser.run("document.querySelector('[data-turn=voice]').click()")
        }
      }
    }
  }
}
