internal import Engine
internal import Takes

/// When, where and as what the clip in the loop came to be: what is kept with it as a take.
struct ClipStory {
  /// When it was begun.
  var date = TakeDate.now
  /// Where that was.
  var place: Place?
  /// The preset at that time.
  var preset = ""
  /// What was recorded.
  var source = Take.Source.live
  /// What is heard, where it was loaded and that was known.
  var species = ""
}
