import Testing

@testable import Engine

@Suite struct StripsTests {
  @Test func `the live input returns to the chain when the warp is warm`() {
    var strips = Strips(loops: 1, sampleRate: 48_000)
    strips.setLiveRoute(.direct, warmUp: 0)
    strips.settle()
    var (isNeeded, isThrough) = (strips.isLiveWarpNeeded, strips.isLiveThroughChain)
    #expect(!isNeeded && !isThrough)
    strips.setLiveRoute(.chain, warmUp: 100)
    (isNeeded, isThrough) = (strips.isLiveWarpNeeded, strips.isLiveThroughChain)
    let (length, isResting) = (strips.limit(256), strips.isResting)
    #expect(isNeeded && isThrough && length == 100 && !isResting)
    #expect(!strips.live.pointee.isThroughChain)
    strips.advanceReturn(frames: 100)
    let rest = strips.limit(256)
    #expect(rest == 256 && strips.live.pointee.isThroughChain)
  }

  @Test func `a change of route cancels the return to the chain`() {
    var strips = Strips(loops: 1, sampleRate: 48_000)
    strips.setLiveRoute(.off, warmUp: 0)
    strips.settle()
    strips.setLiveRoute(.chain, warmUp: 100)
    strips.setLiveRoute(.direct, warmUp: 100)
    let (isThrough, length) = (strips.isLiveThroughChain, strips.limit(256))
    #expect(!isThrough && length == 256)
  }

  @Test func `a loop's strip is busy until it has reached its targets`() {
    var strips = Strips(loops: 2, sampleRate: 48_000)
    strips.settle()
    strips.loop(1).pointee.setGain(0.5)
    strips.noteMove(ofLoop: 1)
    strips.skip(loop: 1, frames: 64)
    var isMoving = strips.movingLoops.contains(1)
    #expect(isMoving)
    strips.skip(loop: 1, frames: 48_000)
    isMoving = strips.movingLoops.contains(1)
    let isResting = strips.isResting
    #expect(!isMoving && isResting)
  }
}
