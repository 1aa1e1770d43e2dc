/// A control surface: pages of controls, each of which drives an address.
///
/// The layouts for TouchOSC and the session for Open Stage Control are both written from it.
package struct Surface: Sendable {
  /// The pages, in the order of their tabs.
  package let pages: [SurfacePage]

  /// Creates a surface of pages.
  package init(pages: [SurfacePage]) { self.pages = pages }

  /// The controls of all pages.
  package var controls: [(page: SurfacePage, control: SurfaceControl)] {
    pages.flatMap { page in page.controls.map { (page, $0) } }
  }
}

/// A page: blocks that lie below each other on a tall screen, and side by side on a wide one.
package struct SurfacePage: Sendable {
  /// The name on the tab.
  package let name: String
  /// The blocks.
  package let blocks: [Block]

  /// Creates a page of blocks.
  package init(_ name: String, _ blocks: Block...) {
    self.name = name
    self.blocks = blocks
  }

  /// Creates a page of blocks.
  package init(_ name: String, blocks: [Block]) {
    self.name = name
    self.blocks = blocks
  }

  /// The controls, row by row.
  package var controls: [SurfaceControl] { blocks.flatMap(\.rows).flatMap(\.controls) }
}

/// A block of rows below each other.
package struct Block: Sendable {
  /// The rows from the top.
  package let rows: [Row]

  /// Creates a block of rows.
  package init(_ rows: Row...) { self.rows = rows }

  /// Creates a block of rows.
  package init(rows: [Row]) { self.rows = rows }
}

/// A row of controls side by side.
package struct Row: Sendable {
  /// The height, in parts of the page.
  package let height: Double
  /// The controls from the left.
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

/// A control: a button, a fader, a list, or a text.
package struct SurfaceControl: Sendable {
  /// The kind of a control, with the addresses that it drives.
  package enum Kind: Sendable {
    /// A button that acts when it is pressed.
    case press(AddressUse)
    /// A button that sends a word or a number, and is lit while it is pressed.
    case send(AddressUse)
    /// A button that sets a word or a number, and is lit while the address has it.
    case choice(AddressUse)
    /// A toggle, on or off.
    case flag(AddressUse)
    /// A fader over the range of a number, by the address's curve.
    case fader(AddressUse)
    /// A whole number with a button for one less and one for one more.
    case stepper(AddressUse)
    /// A list of names that the node tells at one address, a page at a time; the one that is
    /// pressed goes to
    /// the other, which tells the present one.
    case names(list: AddressUse, chosen: AddressUse, rows: Int, columns: Int)
    /// A text that is shown.
    case text
    /// Words, one of which is chosen for what is named next; where text can be typed, any.
    case words([String])
    /// The buttons of the grid: so many that all layouts of twelve notes find room.
    case grid(rows: Int, columns: Int)
    /// A key that is held: a velocity, and 0.
    case key(AddressUse)
    /// One take of the list: its title, and what can be done with it.
    case take(row: Int)
    /// One post of the feed: its message, and what can be done with its sound.
    case post(row: Int)
    /// A loop on one big button, its pedal: its state, its round, and what waits.
    case slot(number: Int, pedal: AddressUse)
    /// A button that does something with the surface itself: the words of its script.
    case script(String)
  }

  /// The colour of a button.
  package enum Accent: CaseIterable, Sendable {
    case plain, voice, record, overdub, replace, play, loop, danger, white
  }

  /// The name within the page; the identity in the files comes from it.
  package let name: String
  /// The text on the control.
  package let caption: String
  /// The kind of the control.
  package let kind: Kind
  /// The width, in parts of the row.
  package let width: Double
  /// The colour.
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
