import Pictures
import Testing

@Suite struct PictureLicenceTests {
  @Test(arguments: [
    ("cc0", "cc0"), ("CC0 1.0", "cc0"), ("cc-zero", "cc0"), ("pd", "pd"), ("Public domain", "pd"),
    ("pd-old", "pd"), ("cc-by", "cc-by"), ("CC BY 2.0", "cc-by"), ("cc-by-sa-3.0,2.5", "cc-by-sa"),
    ("CC BY-SA 3.0 de", "cc-by-sa"), ("cc-by-nc", "cc-by-nc"), ("CC BY-NC-SA 4.0", "cc-by-nc-sa"),
  ])
  func `a license is recognized by each of its names`(name: String, code: String) {
    #expect(PictureLicence(name)?.code == code)
  }

  @Test(arguments: [
    "", "cc", "cc-by-nd", "cc-by-nc-nd", "CC BY-ND 4.0", "GFDL", "Fair use", "all rights reserved",
    "cc-sa", "ccby", "public", "copyright",
  ])
  func `other licenses are rejected`(name: String) {
    #expect(PictureLicence(name) == nil)
  }

  @Test func `only links to Creative Commons are accepted as license URLs`() {
    let own = "https://creativecommons.org/licenses/by/2.0/de/"
    #expect(PictureLicence("CC BY 2.0", url: own)?.url == own)
    for url in ["javascript:alert(1)", "https://creativecommons.org.example/", ""] {
      #expect(
        PictureLicence("CC BY 2.0", url: url)?.url
          == "https://creativecommons.org/licenses/by/4.0/")
    }
  }

  @Test func `the code determines attribution and noncommercial use`() {
    #expect(PictureLicence("cc-by-nc-sa")?.isNoncommercial == true)
    #expect(PictureLicence("cc-by-sa")?.isNoncommercial == false)
    #expect(PictureLicence("cc-by-sa")?.needsAuthor == true)
    #expect(PictureLicence("cc0")?.needsAuthor == false)
  }
}
