extension PictureServer {
  /// A photograph on iNaturalist.
  package struct Photo {
    let id: Int
    let licence: String?
    let author: String

    /// Creates a photograph; without a license, all rights are reserved.
    package init(_ id: Int, _ licence: String?, by author: String = "Ann Lee") {
      self.id = id
      self.licence = licence
      self.author = author
    }
  }

  /// Replies as iNaturalist does for one species with these photographs, the first of which is its
  /// default photo.
  package func haveSpecies(_ name: String, called common: String = "", _ photos: [Photo]) {
    let list = photos.map { photo in
      let licence = photo.licence.map { "\"\($0)\"" } ?? "null"
      let rights = photo.licence == nil ? "all rights reserved" : "some rights reserved"
      serve("/photos/\(photo.id)/medium.jpg", Reply(PictureFile.png(width: 50, height: 40)))
      serve("/photos/\(photo.id)/square.jpg", Reply(PictureFile.png(width: 7, height: 7)))
      return """
        {"id": \(photo.id), "license_code": \(licence),
         "attribution": "(c) \(photo.author), \(rights)",
         "url": "\(url)/photos/\(photo.id)/square.jpg"}
        """
    }
    let taxon = "\"id\": 12716, \"name\": \"\(name)\", \"preferred_common_name\": \"\(common)\""
    serve("/v1/taxa", Reply("{\"total_results\": 1, \"results\": [{\(taxon)}]}"))
    let others = list.map { "{\"taxon_id\": 12716, \"photo\": \($0)}" }.joined(separator: ",")
    serve(
      "/v1/taxa/12716",
      Reply(
        """
        {"results": [{\(taxon), "default_photo": \(list.first ?? "null"),
        "taxon_photos": [\(others)]}]}
        """))
  }

  /// Replies as Wikimedia Commons does if nothing is found.
  package func haveNoFiles() { serve("/w/api.php", Reply("{\"batchcomplete\": true}")) }

  /// Replies as Wikimedia Commons does for one file.
  package func haveFile(_ number: Int, licence: String, author: String) {
    serve("/thumb/\(number).jpg", Reply(PictureFile.png(width: 60, height: 30)))
    serve(
      "/w/api.php",
      Reply(
        """
        {"batchcomplete": true, "query": {"pages": [{"pageid": \(number), "ns": 6, "index": 1,
        "title": "File:\(number).jpg", "imageinfo": [{"mime": "image/jpeg", "size": 1000,
        "thumburl": "\(url)/thumb/\(number).jpg", "url": "\(url)/whole/\(number).jpg",
        "descriptionurl": "https://commons.wikimedia.org/wiki/File:\(number).jpg",
        "extmetadata": {"Artist": {"value": "\(author)", "source": "commons-desc-page"},
        "LicenseShortName": {"value": "\(licence)"}}}]}]}}
        """))
  }
}
