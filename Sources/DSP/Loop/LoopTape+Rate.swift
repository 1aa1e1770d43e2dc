/// The clip and its undo history at another sample rate.
extension LoopTape {
  // The frames that are converted at once.
  private static var framesAtOnce: Int { 4096 }

  /// Takes over the clip of a tape with its undo history, converted by reading `speed` of its frames per own frame.
  ///
  /// Not on the audio thread. If memory is short, the oldest undo steps are dropped.
  package mutating func adopt(_ former: borrowing LoopTape, speed: Double) {
    let view = former.view
    if view.count == 1 && former.length == 0 { return }
    let converter = ForeignRateReader(speed: speed, frames: Self.framesAtOnce)
    var before: (own: Int, former: Int)?
    for place in 0..<view.count {
      let version = view.versions[place]
      var base: (own: Int, former: Int)?
      if let before, former.isBased(version, on: before.former) { base = before }
      guard let own = beginClip(like: base?.own) else { continue }
      convert(version, of: former, like: base?.former, to: own, converter)
      describe(own, as: former[version], speed: speed, latestClip: former.latestClip)
      history.pointee.append(own)
      before = (own, version)
    }
    // In place of the empty version that it started with.
    while history.pointee.count > view.count, history.pointee.forgetStep() {}
    var stepsBack = view.count - 1 - view.place
    while stepsBack > 0, history.pointee.goBack() { stepsBack -= 1 }
    rewind()
  }

  /// Whether a version has the clip of another one, and the same length.
  private borrowing func isBased(_ version: Int, on other: Int) -> Bool {
    self[version].length > 0 && self[version].length == self[other].length
      && self[version].clip == self[other].clip
  }

  private mutating func describe(
    _ version: Int, as former: ClipVersion, speed: Double, latestClip: Int
  ) {
    let round = min(Self.converted(former.round, speed: speed), Double(capacity))
    history.pointee.memory.setLength(version, Self.frames(ofRound: round))
    history.pointee.memory.setRound(version, round)
    history.pointee.memory.setBeat(version, former.beat / speed)
    history.pointee.memory.versions[version].layers = former.layers
    history.pointee.memory.setClip(version, former.clip, latest: latestClip)
  }

  /// Returns a length in frames at another rate, whole if it differs from that by no more than rounding.
  private static func converted(_ frames: Double, speed: Double) -> Double {
    let exact = frames / speed
    let whole = exact.rounded()
    return abs(exact - whole) < 1e-6 ? whole : exact
  }

  /// Converts the parts of a version that differ from another one.
  private mutating func convert(
    _ version: Int, of former: borrowing LoopTape, like other: Int?, to own: Int,
    _ converter: borrowing ForeignRateReader
  ) {
    let all = former[version].length + former.seam
    let most =
      min(
        Int((Double(former[version].length) / converter.speed).rounded(.up)), capacity) + seam
    let view = former.view
    func differs(_ index: Int) -> Bool {
      guard let other else { return view.page(version, index) >= 0 }
      return view.page(other, index) != view.page(version, index)
    }
    let pageFrames = ClipMemory.pageFrames
    let pages = min((all + pageFrames - 1) / pageFrames, view.pagesOfClip)
    var done = 0
    var page = 0
    while page < pages {
      guard differs(page) else {
        page += 1
        continue
      }
      let first = page
      while page < pages, differs(page) { page += 1 }
      let start = converter.first(reading: first * pageFrames)
      let end = min(converter.last(reading: page * pageFrames), most)
      done = max(done, start)
      while done < end {
        let frames = min(Self.framesAtOnce, end - done)
        former.read(version, through: converter, from: done, frames: frames, length: all)
        load(converter.output, into: own, at: done, frames: frames)
        done += frames
      }
    }
  }

  /// Converts frames of a version from an own frame on; it is silent after `length` frames.
  private borrowing func read(
    _ version: Int, through converter: borrowing ForeignRateReader, from start: Int, frames: Int,
    length: Int
  ) {
    converter.read(from: Double(start) * converter.speed, frames: frames, in: 0..<length) {
      read(version, at: $0, to: $1, frames: $2)
    }
  }
}
