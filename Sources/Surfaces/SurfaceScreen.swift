/// The screen sizes of layouts.
package enum SurfaceScreen: String, CaseIterable, Sendable {
  case phone, tablet

  /// The size of the canvas, which the app scales to the real screen.
  package var size: (width: Double, height: Double) {
    switch self {
    case .phone: (400, 800)
    case .tablet: (1024, 768)
    }
  }

  /// Whether blocks are placed side by side.
  var isWide: Bool { self == .tablet }

  /// The number of takes on a page.
  package static let takes = 6
  /// The number of posts on a page.
  package static let posts = 6

  /// The least size of a touch target: 9 mm on the narrowest phone or a 10-inch tablet, in canvas
  /// points.
  package var finger: Double {
    switch self {
    case .phone: 64
    case .tablet: 46
    }
  }

  /// The number of touch targets in a row of tabs.
  var tabs: Int { self == .phone ? 6 : 16 }
}

/// A rectangle in canvas points.
struct Frame: Equatable, Sendable {
  var x: Double
  var y: Double
  var width: Double
  var height: Double

  /// Divides the rectangle into columns of relative widths, with gaps.
  func columns(_ parts: [Double], gap: Double) -> [Frame] {
    let room = width - gap * Double(parts.count - 1)
    let whole = parts.reduce(0, +)
    var x = x
    return parts.map { part in
      defer { x += room * part / whole + gap }
      return Frame(x: x, y: y, width: room * part / whole, height: height)
    }
  }

  /// Divides the rectangle into rows of relative heights, with gaps.
  func rows(_ parts: [Double], gap: Double) -> [Frame] {
    turned.columns(parts, gap: gap).map(\.turned)
  }

  /// The corner and size in whole points; adjacent frames stay adjacent.
  var inPoints: [Int] {
    let (left, top) = (Int(x.rounded()), Int(y.rounded()))
    return [left, top, Int((x + width).rounded()) - left, Int((y + height).rounded()) - top]
  }

  /// The rectangle in its own coordinates.
  var own: Frame { Frame(x: 0, y: 0, width: width, height: height) }

  /// The rectangle without a rim.
  func inset(by rim: Double) -> Frame {
    Frame(x: x + rim, y: y + rim, width: width - 2 * rim, height: height - 2 * rim)
  }

  private var turned: Frame { Frame(x: y, y: x, width: height, height: width) }
}

extension SurfacePage {
  /// The frames of the controls, in order.
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
