import Engine
import Testing

@Suite struct ParameterTests {
  @Test func `numbers are unique, in order, and within a table by parameter`() {
    let numbers = Parameter.allCases.map(\.number)
    #expect(zip(numbers, numbers.dropFirst()).allSatisfy { $0 < $1 })
    #expect(numbers.allSatisfy { (0..<Parameter.numbers).contains($0) })
    #expect(Set(Parameter.allCases).count == Parameter.allCases.count)
  }

  @Test func `a parameter is no larger than its value`() {
    #expect(MemoryLayout<Parameter>.size <= MemoryLayout<Float>.size)
  }
}
