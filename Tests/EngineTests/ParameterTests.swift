import Engine
import Testing

@Suite struct ParameterTests {
  @Test func `numbers are the places among all, without a gap`() {
    #expect(Parameter.allCases.map(\.number) == Array(Parameter.allCases.indices))
    #expect(Set(Parameter.allCases).count == Parameter.allCases.count)
  }

  @Test func `a parameter is one byte of a command`() {
    #expect(MemoryLayout<Parameter>.size == 1)
  }
}
