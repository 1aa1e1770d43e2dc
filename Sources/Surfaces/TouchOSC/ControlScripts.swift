internal import Control

/// The Lua scripts of single controls; what concerns more than one is in the root's.
///
/// TouchOSC runs Lua 5.1, each script in a world of its own.
enum ControlScripts {
  /// Writes a fader's script: it shows the value with its unit, takes none while it is touched, and
  /// asks for the value
  /// that holds when the finger has gone.
  static func fader(
    _ use: AddressUse, _ curve: Control.Curve, _ lua: LuaAddresses
  ) throws(SurfaceFault) -> String {
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
    switch curve {
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
    case .logarithmic:
      let send = try lua.send(use.path, ("value", .number))
      return shown + """
        -- The place to which a message took it, until a finger takes it elsewhere: what came is not
        -- sent back.
        local told = nil
        local function value()
          return math.max(least, math.min(greatest, least * (greatest / least) ^ self.values.x))
        end
        function init()
          show(value())
        end
        function onReceiveOSC(message)
          local argument = message[2][1]
          if argument and not self.values.touch then
            told = math.log(argument.value / least) / math.log(greatest / least)
            told = math.max(0, math.min(1, told))
            self.values.x = told
          end
          return true
        end
        function onValueChanged(key)
          if key == 'x' then
            local value = value()
            show(value)
            -- Whether touch or x is the first to change, is the app's business.
            if not told or math.abs(self.values.x - told) > 1e-6 then
              told = nil
              \(send)
            end
          elseif key == 'touch' and not self.values.touch then
            \(ask)
          end
        end
        """
    }
  }

  /// Writes the script that lights the face of a button while it is on.
  static func face(_ accent: Control.Accent) -> String {
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
