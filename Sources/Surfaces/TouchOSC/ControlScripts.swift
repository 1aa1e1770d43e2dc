internal import Control

/// The Lua scripts of single controls; what concerns more than one is in the root's.
///
/// TouchOSC runs Lua 5.1, each script in a world of its own.
enum ControlScripts {
  /// Writes a fader's script: it shows the value with its unit, ignores incoming values while it is
  /// touched, and asks for the current value after the touch.
  static func fader(_ use: AddressUse, _ lua: LuaAddresses) throws(SurfaceFault) -> String {
    let (least, greatest) = (
      plain(Double(use.range.lowerBound)), plain(Double(use.range.upperBound))
    )
    let ask = try lua.send(use.path)
    let shown = """
      local least, greatest = \(least), \(greatest)
      local function show(value)
        self.parent.children.value.values.text = string.format(\(format(use)), value)
      end

      """
    // The same formulas as Address.Curve's: from position to value, and back.
    let value: String
    let position: String
    switch use.address.curve {
    case .linear:
      return shown + """
        function init()
          show(least + self.values.x * (greatest - least))
        end
        function onReceiveOSC()
          return self.values.touch
        end
        function onValueChanged(key)
          if key == 'x' then
            show(least + self.values.x * (greatest - least))
          elseif key == 'touch' and not self.values.touch then
            \(ask)
          end
        end
        """
    case .exponential:
      value = "least * (greatest / least) ^ self.values.x"
      position = "math.log(argument.value / least) / math.log(greatest / least)"
    case .level:
      value = "least + (greatest - least) * math.sqrt(self.values.x)"
      position = "(math.max(0, argument.value - least) / (greatest - least)) ^ 2"
    }
    let send = try lua.send(use.path, ("value", .number))
    return shown + """
      -- The position of the last value received, until a touch moves the fader: what was received is
      -- not sent back.
      local received = nil
      local function value()
        return math.max(least, math.min(greatest, \(value)))
      end
      function init()
        show(value())
      end
      function onReceiveOSC(message)
        local argument = message[2][1]
        if argument and not self.values.touch then
          received = \(position)
          received = math.max(0, math.min(1, received))
          self.values.x = received
        end
        return true
      end
      function onValueChanged(key)
        if key == 'x' then
          local value = value()
          show(value)
          -- The app may change touch before x, or x before touch.
          if not received or math.abs(self.values.x - received) > 1e-6 then
            received = nil
            \(send)
          end
        elseif key == 'touch' and not self.values.touch then
          \(ask)
        end
      end
      """
  }

  /// Writes the script that lights the face of a button while it is on.
  static func face(_ accent: SurfaceControl.Accent) -> String {
    """
    function onValueChanged(key)
      if key == 'x' then
        local face = self.parent.children.caption
        if self.values.x > 0.5 then
          face.color = \(color(accent.color))
          face.textColor = \(color(accent.color.ink))
        else
          face.color = \(color(accent.color.dimmed))
          face.textColor = \(color(.text))
        end
      end
    end
    """
  }

  /// The script that tells the root of a press, by the words of the button's tag.
  static let press = """
    function onValueChanged(key)
      if key == 'x' and self.values.x > 0.5 then
        root:notify('press', self.tag)
      end
    end
    """

  /// Writes a colour in Lua.
  static func color(_ color: Color) -> String {
    let parts = [color.red, color.green, color.blue, color.alpha].map {
      plain(($0 * 1000).rounded() / 1000)
    }
    return "Color(" + parts.joined(separator: ", ") + ")"
  }

  // As many places as can be told apart on a fader.
  private static func format(_ use: AddressUse) -> String {
    let width = use.range.upperBound - use.range.lowerBound
    let places = use.isWhole || width > 1000 ? 0 : width > 15 ? 1 : 2
    let unit = use.address.unit.isEmpty ? "" : " " + use.address.unit.replacing("%", with: "%%")
    return LuaAddresses.quoted("%.\(places)f" + unit)
  }
}
