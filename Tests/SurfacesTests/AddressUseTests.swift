import Control
import Surfaces
import Testing

@Suite struct AddressUseTests {
  private let table = AddressTable.node

  private func fault(_ make: () throws(SurfaceFault) -> AddressUse) -> String {
    do throws(SurfaceFault) {
      _ = try make()
      return ""
    } catch {
      return error.description
    }
  }

  @Test func `an address that is not in the table is refused by name`() {
    for path in ["/echo/mixx", "", "/grid/{row}/{column}", "/grid/1", "/grid/1/x"] {
      #expect(
        fault { () throws(SurfaceFault) in try table.reported(path) }.hasPrefix(path + " is no"))
    }
    #expect(fault { () throws(SurfaceFault) in try table.reported("/grid/16/12") } == "")
  }

  @Test func `a number has the range of the table`() throws {
    #expect(try table.number("/pitch/semitones").range == -24...24)
    #expect(try table.number("/grid/3/4").range == 0...1)
    #expect(try table.number("/piano/octave").range == -1...8)
    #expect(try table.number("/player/position").range == 0...10)
    for path in ["/live/route", "/preset", "/player/play", "/take", "/grid/touch"] {
      #expect(fault { () throws(SurfaceFault) in try table.number(path) } != "", "\(path)")
    }
  }

  @Test func `a flag is 0 or 1, and nothing else`() {
    #expect(fault { () throws(SurfaceFault) in try table.flag("/echo/hold") } == "")
    for path in ["/echo/mix", "/metronome/beats", "/player/direction", "/player/stop"] {
      #expect(fault { () throws(SurfaceFault) in try table.flag(path) } != "", "\(path)")
    }
  }

  @Test func `an action works without arguments`() {
    for path in ["/player/play", "/take/save", "/grid/randomize", "/metronome/tap", "/music/stop"] {
      #expect(fault { () throws(SurfaceFault) in try table.action(path) } == "", "\(path)")
    }
    for path in ["/take/play", "/grid/touch", "/echo/mix", "/meter", "/grid/scale"] {
      #expect(fault { () throws(SurfaceFault) in try table.action(path) } != "", "\(path)")
    }
  }

  @Test func `constants are what the address takes`() {
    func constant(_ path: String, _ value: AddressUse.Constant) -> String {
      fault { () throws(SurfaceFault) in try table.constant(path, value) }
    }
    #expect(constant("/player/source", .text("grid")) == "")
    #expect(constant("/player/source", .text("moon")) != "")
    #expect(constant("/grid/root", .text("A#")) == "")
    #expect(constant("/pitch/semitones", .number(-24)) == "")
    #expect(constant("/pitch/semitones", .number(25)) != "")
    #expect(constant("/pitch/semitones", .text("high")) != "")
    #expect(constant("/player/direction", .number(-1)) == "")
    #expect(constant("/player/direction", .number(0)) != "")
    #expect(constant("/metronome/beats", .number(3.5)) != "")
    #expect(constant("/player/play", .number(1)) != "")
    #expect(fault { () throws(SurfaceFault) in try table.text("/grid/scale") } == "")
    #expect(fault { () throws(SurfaceFault) in try table.text("/grid/octaves") } != "")
    #expect(fault { () throws(SurfaceFault) in try table.text("/take/title") } != "")
  }
}
