/// The commands of a part of a switch, and the rest of its effects once they are queued.
struct SwitchPart {
  var commands: [PlannedCommand]
  var whenQueued: () -> Void = {}
}
