/// A control surface: pages of controls for the node's addresses.
///
/// The TouchOSC layouts and the Open Stage Control session are generated from it.
package struct Surface: Sendable {
  /// The pages, in tab order.
  package let pages: [SurfacePage]

  /// Creates a surface.
  package init(pages: [SurfacePage]) { self.pages = pages }

  /// The pages with tabs of their own on phones.
  package var pagesWithTabs: [SurfacePage] { pages.filter { $0.parent == nil } }

  /// The number of a page, from 1; nil if there is none of this name.
  func number(ofPage name: String) -> Int? {
    pages.firstIndex { $0.name == name }.map { $0 + 1 }
  }

  /// The controls of all pages.
  package var controls: [(page: SurfacePage, control: SurfaceControl)] {
    pages.flatMap { page in page.controls.map { (page, $0) } }
  }
}

/// A page: blocks, stacked on a tall screen, side by side on a wide one.
package struct SurfacePage: Sendable {
  /// The name on the tab.
  package let name: String
  /// The name of the page whose tab is lit on phones, if it has no tab of its own there.
  package let parent: String?
  /// The blocks.
  package let blocks: [Block]

  /// Creates a page of blocks.
  package init(_ name: String, below parent: String? = nil, _ blocks: Block...) {
    self.init(name, below: parent, blocks: blocks)
  }

  /// Creates a page of blocks.
  package init(_ name: String, below parent: String? = nil, blocks: [Block]) {
    self.name = name
    self.parent = parent
    self.blocks = blocks
  }

  /// The controls, row by row.
  package var controls: [SurfaceControl] { blocks.flatMap(\.rows).flatMap(\.controls) }
}

/// A block of rows.
package struct Block: Sendable {
  /// The rows, top to bottom.
  package let rows: [Row]

  /// Creates a block of rows.
  package init(_ rows: Row...) { self.rows = rows }

  /// Creates a block of rows.
  package init(rows: [Row]) { self.rows = rows }
}

/// A row of controls.
package struct Row: Sendable {
  /// The relative height.
  package let height: Double
  /// The controls, left to right.
  package let controls: [SurfaceControl]

  /// Creates a row of controls.
  package init(_ height: Double, _ controls: SurfaceControl...) {
    self.height = height
    self.controls = controls
  }

  /// Creates a row of controls.
  package init(_ height: Double, of controls: [SurfaceControl]) {
    self.height = height
    self.controls = controls
  }
}

/// A control: a button, fader, list or text.
package struct SurfaceControl: Sendable {
  /// The kind of a control, with its addresses.
  package enum Kind: Sendable {
    /// A button that acts on press.
    case press(AddressUse)
    /// A button that sends a constant, lit while pressed.
    case send(AddressUse)
    /// A button that sets a constant, lit while the address has it.
    case choice(AddressUse)
    /// An on/off toggle.
    case flag(AddressUse)
    /// A fader over the range of a number, by the address's curve.
    case fader(AddressUse)
    /// An integer with buttons for one less and one more.
    case stepper(AddressUse)
    /// A paged list of names from one address; a press sends the name to the other, which also
    /// reports the chosen one.
    case names(list: AddressUse, chosen: AddressUse, rows: Int, columns: Int)
    /// A text display.
    case text
    /// Words to choose a title from, or a text field if the app has a keyboard.
    case words([String])
    /// The cells of the grid, enough for all layouts of twelve notes.
    case grid(rows: Int, columns: Int)
    /// A key: a velocity on press, 0 on release.
    case key(AddressUse)
    /// A row of the take list: a title and buttons.
    case take(row: Int)
    /// A row of the feed: a message and buttons.
    case post(row: Int)
    /// A loop on one large button, its pedal: current and queued state, and playhead.
    case slot(number: Int, pedal: AddressUse)
    /// A button that opens a page, where not all pages have tabs.
    case page(String)
    /// A button handled by the surface's own script, by these words.
    case script(String)
  }

  /// The color of a button.
  package enum Accent: CaseIterable, Sendable {
    case plain, voice, record, overdub, replace, play, loop, danger, white
  }

  /// The name within the page, from which the files' identifiers are made.
  package let name: String
  /// The label.
  package let caption: String
  /// The kind.
  package let kind: Kind
  /// The relative width.
  package let width: Double
  /// The color.
  package let accent: Accent

  /// Creates a control.
  package init(
    _ name: String, _ caption: String, _ kind: Kind, width: Double = 1, accent: Accent = .plain
  ) {
    self.name = name
    self.caption = caption
    self.kind = kind
    self.width = width
    self.accent = accent
  }
}
