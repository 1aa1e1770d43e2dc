/// The screens that layouts are made for.
package enum SurfaceScreen: String, CaseIterable, Sendable {
  case phone, tablet

  /// The size of the canvas, which the app stretches to the screen that it has.
  package var size: (width: Double, height: Double) {
    switch self {
    case .phone: (400, 800)
    case .tablet: (1024, 768)
    }
  }

  /// Whether blocks stand side by side.
  var isWide: Bool { self == .tablet }

  /// The number of takes of a page, on all screens.
  package static let takes = 6
  /// The number of posts of a page, likewise.
  package static let posts = 6

  /// Nine millimetres of the narrowest phone or of a tablet of ten inches, in points of the canvas:
  /// what a finger hits without looking.
  package var finger: Double {
    switch self {
    case .phone: 64
    case .tablet: 46
    }
  }

  /// The number of tabs that have room side by side, as wide as a finger.
  var tabs: Int { self == .phone ? 6 : 16 }
}

/// A rectangle on the canvas, in its points.
struct Frame: Equatable, Sendable {
  var x: Double
  var y: Double
  var width: Double
  var height: Double

  /// Cuts the rectangle into columns with gaps between them, in parts of its width.
  func columns(_ parts: [Double], gap: Double) -> [Frame] {
    let room = width - gap * Double(parts.count - 1)
    let whole = parts.reduce(0, +)
    var x = x
    return parts.map { part in
      defer { x += room * part / whole + gap }
      return Frame(x: x, y: y, width: room * part / whole, height: height)
    }
  }

  /// Cuts the rectangle into rows with gaps between them, in parts of its height.
  func rows(_ parts: [Double], gap: Double) -> [Frame] {
    turned.columns(parts, gap: gap).map(\.turned)
  }

  /// The corner and the size in whole points: what lies side by side stays so.
  var inPoints: [Int] {
    let (left, top) = (Int(x.rounded()), Int(y.rounded()))
    return [left, top, Int((x + width).rounded()) - left, Int((y + height).rounded()) - top]
  }

  /// The rectangle seen from its own corner.
  var own: Frame { Frame(x: 0, y: 0, width: width, height: height) }

  private var turned: Frame { Frame(x: y, y: x, width: height, height: width) }
}

extension SurfacePage {
  /// Returns the places of the controls in a frame, in their order.
  func places(in frame: Frame, gap: Double, isWide: Bool) -> [Frame] {
    let areas =
      isWide
      ? frame.columns(blocks.map { _ in 1 }, gap: gap * 3)
      : frame.rows(blocks.map { $0.rows.map(\.height).reduce(0, +) }, gap: gap)
    return zip(blocks, areas).flatMap { block, area in
      zip(block.rows, area.rows(block.rows.map(\.height), gap: gap)).flatMap { row, line in
        line.columns(row.controls.map(\.width), gap: gap)
      }
    }
  }
}
