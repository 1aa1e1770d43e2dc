import HTTP
import Testing

/// The parsing of Range headers.
@Suite struct ByteRangeTests {
  @Test(arguments: [
    ("bytes=0-99", 0..<100), ("bytes=900-", 900..<1000), ("bytes=-10", 990..<1000),
    ("bytes=-5000", 0..<1000), ("bytes=500-99999999", 500..<1000), ("bytes=999-999", 999..<1000),
  ])
  func `a valid range is parsed`(header: String, part: Range<Int>) {
    #expect(ByteRange(header, size: 1000)?.bytes == part)
  }

  @Test(arguments: ["bytes=1000-", "bytes=-0", "bytes=5000-6000"])
  func `a range outside the file is rejected`(header: String) {
    let range = ByteRange(header, size: 1000)
    #expect(range != nil && range?.bytes == nil)
  }

  @Test(arguments: [
    "bytes=0-1,5-6", "bytes=9-3", "bytes=", "bytes=-", "lines=0-5", "bytes=a-b", "bytes=1-2-3",
    "bytes=99999999999999999999-",
  ])
  func `headers other than a single range are ignored`(header: String) {
    #expect(ByteRange(header, size: 1000) == nil)
  }
}
