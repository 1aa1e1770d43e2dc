import Control
import OSC
import Surfaces
import TestSupport
import Testing

/// The words sent by buttons of the surfaces, only some of which are in the table.
@Suite struct SurfaceWordsTests {
  @Test func `the node accepts each word that a button of a surface sends`() throws {
    let desk = Desk()
    // A part without loops can't be chosen.
    for part in 1...6 { desk.tell("/part/\(part)/loops", .int32(1)) }
    var count = 0
    for (page, control) in try Surface.syrinx().controls {
      // A preset is a file shipped with the program.
      guard case .choice(let use) = control.kind, use.path != "/preset" else { continue }
      let arguments = use.constants.map { constant -> Argument in
        switch constant {
        case .text(let text): .string(text)
        case .number(let number): .float(number)
        }
      }
      count += 1
      let told = desk.give([UInt8](address: use.path, arguments))
      #expect(!told.contains { $0.address == "/error" }, "\(page.name)/\(control.name)")
    }
    // Among them twelve roots, three sizes and an order.
    #expect(count > 20)
    #expect(desk.tell("/grid/size", .string("huge")).map(\.address) == ["/error"])
  }
}
