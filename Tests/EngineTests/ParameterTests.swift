import Engine
import Testing

@Suite struct ParameterTests {
  @Test func `numbers are the places among all, without a gap`() {
    #expect(Parameter.allCases.map(\.number) == Array(Parameter.allCases.indices))
    #expect(Set(Parameter.allCases).count == Parameter.allCases.count)
  }

  @Test func `a parameter is a byte, and a command a few words`() {
    #expect(MemoryLayout<Parameter>.size == 1)
    #expect(MemoryLayout<Command>.stride <= 48 && MemoryLayout<Event>.stride <= 32)
  }
}
