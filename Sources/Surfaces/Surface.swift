/// What a player has under the fingers: pages of controls, each of which drives an address.
///
/// The layouts for TouchOSC and the session for Open Stage Control are both written from it.
package struct Surface: Sendable {
  /// The pages, in the order of their tabs.
  package let pages: [Page]

  /// A surface of pages.
  package init(pages: [Page]) { self.pages = pages }

  /// All controls, page by page.
  package var controls: [(page: Page, control: Control)] {
    pages.flatMap { page in page.controls.map { (page, $0) } }
  }
}

/// One page: blocks that lie below each other on a tall screen, and side by side on a wide one.
package struct Page: Sendable {
  /// What its tab says.
  package let name: String
  /// Its blocks.
  package let blocks: [Block]

  /// A page of blocks.
  package init(_ name: String, _ blocks: Block...) {
    self.name = name
    self.blocks = blocks
  }

  /// Its controls, row by row.
  package var controls: [Control] { blocks.flatMap(\.rows).flatMap(\.controls) }
}

/// Rows below each other.
package struct Block: Sendable {
  /// The rows from the top.
  package let rows: [Row]

  /// A block of rows.
  package init(_ rows: Row...) { self.rows = rows }

  /// A block of rows.
  package init(rows: [Row]) { self.rows = rows }
}

/// Controls side by side.
package struct Row: Sendable {
  /// How high it is, in parts of the page.
  package let height: Double
  /// The controls from the left.
  package let controls: [Control]

  /// A row of controls.
  package init(_ height: Double, _ controls: Control...) {
    self.height = height
    self.controls = controls
  }

  /// A row of controls.
  package init(_ height: Double, of controls: [Control]) {
    self.height = height
    self.controls = controls
  }
}

/// One thing to touch or to look at.
package struct Control: Sendable {
  /// What it is, with the addresses that it drives.
  package enum Kind: Sendable {
    /// Does something when it is pressed.
    case press(AddressUse)
    /// Sets a word or a number when it is pressed, and is lit while the address has it.
    case choice(AddressUse)
    /// Is on or off.
    case flag(AddressUse)
    /// A number of a range.
    case fader(AddressUse, Curve)
    /// A whole number with a button for one less and one for one more.
    case stepper(AddressUse)
    /// Names that the node lists at one address, a page at a time; the one that is pressed goes to
    /// the other, which tells the present one.
    case names(list: AddressUse, chosen: AddressUse, rows: Int, columns: Int)
    /// Text that is shown.
    case text
    /// Words, one of which is chosen for what is named next; where text can be typed, any.
    case words([String])
    /// The buttons of the grid: so many that all layouts of twelve notes find room.
    case grid(rows: Int, columns: Int)
    /// A key that is held: a velocity, and 0.
    case key(AddressUse)
    /// One take of the list: its title, and what can be done with it.
    case take(row: Int)
    /// A button that does something with the surface itself: the words of its script.
    case turn(String)
  }

  /// How the way of a fader goes over the range.
  package enum Curve: Sendable {
    case linear
    /// Each part of the way multiplies by the same.
    case logarithmic
  }

  /// How a button is coloured.
  package enum Accent: CaseIterable, Sendable {
    case plain, voice, record, play, loop, danger, white
  }

  /// What it is called within its page; its identity in the files comes from it.
  package let name: String
  /// What is written on it.
  package let caption: String
  /// What it is.
  package let kind: Kind
  /// How wide it is, in parts of its row.
  package let width: Double
  /// How it is coloured.
  package let accent: Accent

  /// A control.
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
