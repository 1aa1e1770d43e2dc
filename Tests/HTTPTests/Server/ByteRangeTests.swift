import HTTP
import Testing

/// Which part of a file a header asks for.
@Suite struct ByteRangeTests {
  @Test(arguments: [
    ("bytes=0-99", 0..<100), ("bytes=900-", 900..<1000), ("bytes=-10", 990..<1000),
    ("bytes=-5000", 0..<1000), ("bytes=500-99999999", 500..<1000), ("bytes=999-999", 999..<1000),
  ])
  func `a part is found`(header: String, part: Range<Int>) {
    #expect(ByteRange(header, size: 1000)?.bytes == part)
  }

  @Test(arguments: ["bytes=1000-", "bytes=-0", "bytes=5000-6000"])
  func `what the file has not is refused`(header: String) {
    let range = ByteRange(header, size: 1000)
    #expect(range != nil && range?.bytes == nil)
  }

  @Test(arguments: [
    "bytes=0-1,5-6", "bytes=9-3", "bytes=", "bytes=-", "lines=0-5", "bytes=a-b", "bytes=1-2-3",
    "bytes=99999999999999999999-",
  ])
  func `what is no range of one part asks for all`(header: String) {
    #expect(ByteRange(header, size: 1000) == nil)
  }
}
