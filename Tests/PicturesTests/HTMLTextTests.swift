import Testing

@testable import Pictures

@Suite struct HTMLTextTests {
  @Test(arguments: [
    ("<a href=\"//x.org/wiki/User:Ann\" title=\"User:Ann\">Ann Lee</a>", "Ann Lee"),
    ("Ann &amp; Bob &lt;3 &#233;&#xE9; &nbsp;x", "Ann & Bob <3 éé x"),
    ("one<br>two<td>three", "one two three"),
    ("<script>alert('<b>')</script>Ann<style>b{}</style>", "Ann"),
    ("<script>never closed", ""), ("a <b", "a"),
    ("R&D; AT&T &bogus; &#x110000; &", "R&D; AT&T &bogus; &#x110000; &"),
    ("a\u{202E}b\u{0}c\nd", "a b c d"), ("&amp;lt;b&amp;gt;", "&lt;b&gt;"),
  ])
  func `tags are removed, and entities are decoded once`(html: String, text: String) {
    #expect(HTMLText.plain(html) == text)
  }

  @Test func `a long text is cut between characters`() {
    let text = HTMLText.plain(String(repeating: "é", count: 500), most: 101)
    #expect(text == String(repeating: "é", count: 50))
  }
}
