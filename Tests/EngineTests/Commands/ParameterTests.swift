import Engine
import Testing

@Suite struct ParameterTests {
  @Test func `numbers are the places among all, without a gap`() {
    #expect(Parameter.allCases.map(\.number) == Array(Parameter.allCases.indices))
    #expect(Set(Parameter.allCases).count == Parameter.allCases.count)
  }

  @Test func `a parameter is no larger than its value`() {
    #expect(MemoryLayout<Parameter>.size <= MemoryLayout<Float>.size)
  }
}
