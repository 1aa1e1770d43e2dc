// Pitch shifters, reverbs and echoes that Debian packages as LV2 plugins; missing ones are left out.
#include <lilv/lilv.h>
#include <lv2/atom/atom.h>
#include <lv2/buf-size/buf-size.h>
#include <lv2/options/options.h>
#include <lv2/parameters/parameters.h>
#include <lv2/urid/urid.h>
#include <lv2/worker/worker.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include "plugin.h"

namespace {

const plugin plugins[] = {
    // Its engine accepts more than the two semitones of its slider.
    {"x42 fat1 fast", EFFECT_PITCH, "fat1", "http://gareus.org/oss/lv2/fat1",
     {set_by(EFFECT_SEMITONES, "offset"), fixed("corr", 0), fixed("fastmode", 1)}},
    {"x42 fat1", EFFECT_PITCH, "fat1", "http://gareus.org/oss/lv2/fat1",
     {set_by(EFFECT_SEMITONES, "offset"), fixed("corr", 0), fixed("fastmode", 0)}},
    {"x42 fat1 tune, fast", EFFECT_TUNE, "fat1", "http://gareus.org/oss/lv2/fat1",
     {fixed("corr", 1), fixed("filter", 0.02), fixed("fastmode", 1)}},
    {"x42 fat1 tune", EFFECT_TUNE, "fat1", "http://gareus.org/oss/lv2/fat1",
     {fixed("corr", 1), fixed("filter", 0.02), fixed("fastmode", 0)}},
    // A peak meter, the same hysteresis, range and attack; it has no hold, so its release is as long.
    {"LSP Gate", EFFECT_GATE, "lsp-plugins", "http://lsp-plug.in/plugins/lv2/gate_stereo",
     {set_by(EFFECT_THRESHOLD, "gt", scale::gain), fixed("gh", 1), fixed("ht", 0.5012), fixed("gr", 0.001),
      fixed("at", 0.7), fixed("rt", 100), fixed("scm", 0)}},
    // Its own settings but for hysteresis, range and attack.
    {"LSP Gate, RMS", EFFECT_GATE, "lsp-plugins", "http://lsp-plug.in/plugins/lv2/gate_stereo",
     {set_by(EFFECT_THRESHOLD, "gt", scale::gain), fixed("gh", 1), fixed("ht", 0.5012), fixed("gr", 0.001),
      fixed("at", 0.7), fixed("rt", 100), fixed("scm", 1)}},
    // Threshold, ratio, knee and times of ours.
    {"LSP Compressor", EFFECT_LEVEL, "lsp-plugins", "http://lsp-plug.in/plugins/lv2/compressor_stereo",
     {fixed("al", 0.0531), fixed("cr", 3), fixed("kn", 0.2512), fixed("at", 2), fixed("rt", 120), fixed("scm", 0)}},
    {"LSP Compressor, RMS", EFFECT_LEVEL, "lsp-plugins",
     "http://lsp-plug.in/plugins/lv2/compressor_stereo",
     {fixed("al", 0.0531), fixed("cr", 3), fixed("kn", 0.2512), fixed("at", 2), fixed("rt", 120), fixed("scm", 1)}},
    {"Dragonfly Hall", EFFECT_REVERB, "DragonflyHallReverb", "https://github.com/michaelwillis/dragonfly-reverb",
     {set_by(EFFECT_SECONDS, "decay"), fixed("dry_level", 0), fixed("late_level", 100),
      fixed("early_level", 10), fixed("delay", 0)}},
    {"Dragonfly Room", EFFECT_REVERB, "DragonflyRoomReverb", "urn:dragonfly:room",
     {set_by(EFFECT_SECONDS, "decay"), fixed("dry_level", 0), fixed("late_level", 100),
      fixed("early_level", 10), fixed("predelay", 0)}},
    {"Dragonfly Plate", EFFECT_REVERB, "DragonflyPlateReverb", "urn:dragonfly:plate",
     {set_by(EFFECT_SECONDS, "decay"), fixed("dry_level", 0), fixed("early_level", 100),
      fixed("predelay", 0)}},
    {"Calf Reverb", EFFECT_REVERB, "calf", "http://calf.sourceforge.net/plugins/Reverb",
     {set_by(EFFECT_SECONDS, "decay_time"), set_by(EFFECT_DAMPING, "hf_damp"),
      fixed("amount", 1), fixed("dry", 0), fixed("bass_cut", 20), fixed("treble_cut", 20000)}},
    {"Calf Vintage Delay", EFFECT_ECHO, "calf", "http://calf.sourceforge.net/plugins/VintageDelay",
     {set_by(EFFECT_SECONDS, "ms", scale::milliseconds), set_by(EFFECT_FEEDBACK, "feedback"),
      fixed("timing", 1), fixed("subdiv", 1), fixed("time_l", 1), fixed("time_r", 1),
      fixed("mix_mode", 0), fixed("medium", 0), fixed("amount", 1), fixed("dry", 0)}},
    {"LSP Slap Delay", EFFECT_ECHO, "lsp-plugins",
     "http://lsp-plug.in/plugins/lv2/slap_delay_stereo",
     {set_by(EFFECT_SECONDS, "dt0", scale::milliseconds), fixed("dm0", 1), fixed("ramp", 1),
      fixed("dry", 0)}},
    {"Invada Delay", EFFECT_ECHO, "invada", "http://invadarecords.com/plugins/lv2/delay/sum",
     {set_by(EFFECT_SECONDS, "delay1"), set_by(EFFECT_SECONDS, "delay2"),
      set_by(EFFECT_FEEDBACK, "fb1", scale::percent), set_by(EFFECT_FEEDBACK, "fb2", scale::percent),
      fixed("pan1", -1), fixed("pan2", 1), fixed("munge", 0)}},
};
constexpr int most = sizeof plugins / sizeof *plugins;

// --- Host features

LV2_URID map_address(LV2_URID_Map_Handle, const char *address) {
  static std::map<std::string, LV2_URID> numbers;
  auto found = numbers.find(address);
  if (found != numbers.end()) return found->second;
  auto number = LV2_URID(numbers.size() + 1);
  return numbers[address] = number;
}

LV2_URID_Map map{nullptr, map_address};

struct Options {
  int32_t least = 1, most = 8192, nominal, sequence = 8192;
  float rate;
  LV2_Options_Option list[6];

  Options(double sampleRate, int block) : nominal(block), rate(float(sampleRate)) {
    auto whole = map_address(nullptr, LV2_ATOM__Int);
    auto number = [&](const char *address, const int32_t *value) {
      return LV2_Options_Option{
          LV2_OPTIONS_INSTANCE, 0, map_address(nullptr, address), sizeof *value, whole, value};
    };
    list[0] = number(LV2_BUF_SIZE__minBlockLength, &least);
    list[1] = number(LV2_BUF_SIZE__maxBlockLength, &most);
    list[2] = number(LV2_BUF_SIZE__nominalBlockLength, &nominal);
    list[3] = number(LV2_BUF_SIZE__sequenceSize, &sequence);
    list[4] = {LV2_OPTIONS_INSTANCE, 0, map_address(nullptr, LV2_PARAMETERS__sampleRate),
               sizeof rate, map_address(nullptr, LV2_ATOM__Float), &rate};
    list[5] = {};
  }
};

// Runs a plugin's worker tasks synchronously: they count toward the block's time, as on a machine
// whose other cores are busy.
struct Worker {
  LilvInstance *instance = nullptr;
  LV2_Worker_Schedule schedule{this, ask};

  static LV2_Worker_Status answer(LV2_Worker_Respond_Handle self, uint32_t size, const void *data) {
    auto instance = static_cast<Worker *>(self)->instance;
    auto interface = find(instance);
    if (!interface || !interface->work_response) return LV2_WORKER_ERR_UNKNOWN;
    return interface->work_response(lilv_instance_get_handle(instance), size, data);
  }

  static LV2_Worker_Status ask(LV2_Worker_Schedule_Handle self, uint32_t size, const void *data) {
    auto instance = static_cast<Worker *>(self)->instance;
    auto interface = instance ? find(instance) : nullptr;
    if (!interface) return LV2_WORKER_ERR_UNKNOWN;
    return interface->work(lilv_instance_get_handle(instance), answer, self, size, data);
  }

  static const LV2_Worker_Interface *find(LilvInstance *instance) {
    return static_cast<const LV2_Worker_Interface *>(
        lilv_instance_get_extension_data(instance, LV2_WORKER__interface));
  }
};

LilvWorld *world;

// --- Hosting

// A plugin; two instances if it has one output. One input with two outputs gets the sum of both sides.
class Host {
 public:
  Host(const plugin &which, const LilvPlugin *type, double rate, int block)
      : which(which), options(rate, block), count(lilv_plugin_get_num_ports(type)),
        sum(size_t(block), 0.f) {
    auto audio = lilv_new_uri(world, LILV_URI_AUDIO_PORT);
    auto isControl = lilv_new_uri(world, LILV_URI_CONTROL_PORT);
    auto isInput = lilv_new_uri(world, LILV_URI_INPUT_PORT);
    std::vector<uint32_t> ins, outs, atoms, atomOuts;
    values.resize(count);
    lilv_plugin_get_port_ranges_float(type, nullptr, nullptr, values.data());
    for (uint32_t port = 0; port < count; ++port) {
      auto one = lilv_plugin_get_port_by_index(type, port);
      names.push_back(lilv_node_as_string(lilv_port_get_symbol(type, one)));
      bool input = lilv_port_is_a(type, one, isInput);
      if (!(values[port] == values[port])) values[port] = 0;
      if (lilv_port_is_a(type, one, audio)) {
        (input ? ins : outs).push_back(port);
      } else if (!lilv_port_is_a(type, one, isControl)) {
        (input ? atoms : atomOuts).push_back(port);
      }
    }
    for (auto node : {audio, isControl, isInput}) lilv_node_free(node);

    LV2_Feature mapping{LV2_URID__map, &map}, given{LV2_OPTIONS__options, options.list};
    LV2_Feature bounded{LV2_BUF_SIZE__boundedBlockLength, nullptr};
    int copies = outs.size() == 1 ? 2 : 1;
    sums = copies == 1 && ins.size() == 1;
    for (int copy = 0; copy < copies; ++copy) {
      LV2_Feature working{LV2_WORKER__schedule, &workers[copy].schedule};
      const LV2_Feature *features[] = {&mapping, &given, &bounded, &working, nullptr};
      auto instance = lilv_plugin_instantiate(type, rate, features);
      if (!instance) continue;
      workers[copy].instance = instance;
      instances.push_back(instance);
      std::vector<bool> isSound(count);
      for (size_t at = 0; at < ins.size(); ++at) {
        inputs.push_back({instance, ins[at], int((copy + at) % 2)});
        isSound[ins[at]] = true;
      }
      for (size_t at = 0; at < outs.size(); ++at) {
        outputs.push_back({instance, outs[at], int((copy + at) % 2)});
        isSound[outs[at]] = true;
      }
      for (uint32_t port = 0; port < count; ++port) {
        if (!isSound[port]) lilv_instance_connect_port(instance, port, &values[port]);
      }
      for (auto port : atoms) lilv_instance_connect_port(instance, port, &said);
      for (auto port : atomOuts) lilv_instance_connect_port(instance, port, &answer);
    }
    for (auto &control : which.controls) {
      if (control.port && control.is_fixed) put(control.port, float(control.value));
    }
    said.sequence.atom = {sizeof(LV2_Atom_Sequence_Body), map_address(nullptr, LV2_ATOM__Sequence)};
  }

  ~Host() {
    for (auto instance : instances) {
      if (isActive) lilv_instance_deactivate(instance);
      lilv_instance_free(instance);
    }
  }

  bool works() const { return !outputs.empty(); }

  void set(effect_key key, double value) {
    for (auto &control : which.controls) {
      if (control.port && !control.is_fixed && control.key == key)
        put(control.port, scaled(control.by, value));
    }
  }

  void process(const float *const *in, float *const *out, int frames) {
    if (sums) {
      for (int i = 0; i < frames; ++i) sum[size_t(i)] = 0.5f * (in[0][i] + in[1][i]);
    }
    for (auto &to : inputs)
      lilv_instance_connect_port(
          to.instance, to.port, sums ? sum.data() : const_cast<float *>(in[to.side]));
    for (auto &from : outputs)
      lilv_instance_connect_port(from.instance, from.port, out[from.side]);
    if (!isActive) {
      isActive = true;
      for (auto instance : instances) lilv_instance_activate(instance);
    }
    for (auto instance : instances) {
      answer.sequence.atom = {sizeof answer.room, 0};
      lilv_instance_run(instance, uint32_t(frames));
    }
  }

  long delay() const {
    for (uint32_t port = 0; port < count; ++port) {
      if (names[port] == "latency") return long(values[port]);
    }
    return -1;
  }

 private:
  struct Place {
    LilvInstance *instance;
    uint32_t port;
    int side;
  };
  struct Messages {
    LV2_Atom_Sequence sequence;
    char room[8192];
  };

  void put(const char *name, float value) {
    for (uint32_t port = 0; port < count; ++port) {
      if (names[port] == name) values[port] = value;
    }
  }

  const plugin &which;
  Options options;
  uint32_t count;
  std::vector<float> sum, values;
  std::vector<std::string> names;
  std::vector<LilvInstance *> instances;
  std::vector<Place> inputs, outputs;
  Messages said{}, answer{};
  Worker workers[2];
  bool sums = false, isActive = false;
};

std::string folder(const plugin &which) {
  return std::string("/usr/lib/lv2/") + which.file + ".lv2/";
}

// Loads only the bundles to be played: loading all takes longer than many a measurement.
const LilvPlugin *type(const plugin &which) {
  if (!world) world = lilv_world_new();
  auto bundle = lilv_new_file_uri(world, nullptr, folder(which).c_str());
  auto address = lilv_new_uri(world, which.label);
  lilv_world_load_bundle(world, bundle);
  auto result = lilv_plugins_get_by_uri(lilv_world_get_all_plugins(world), address);
  lilv_node_free(bundle);
  lilv_node_free(address);
  return result;
}

template <int index>
void *make(double rate, int block) {
  static auto known = type(plugins[index]);
  auto host = known ? new Host(plugins[index], known, rate, block) : nullptr;
  if (!host || !host->works()) {
    std::fprintf(stderr, "can't instantiate %s\n", plugins[index].name);
    std::exit(70);
  }
  return host;
}
void set(void *self, effect_key key, double value) { static_cast<Host *>(self)->set(key, value); }
void process(void *self, const float *const *in, float *const *out, int frames) {
  static_cast<Host *>(self)->process(in, out, frames);
}
void end(void *self) { delete static_cast<Host *>(self); }
long delay(void *self) { return static_cast<Host *>(self)->delay(); }

effect found[most];
int foundCount;

// A C function can't capture an index, so each plugin has its own factory.
template <int index = 0>
void find() {
  if constexpr (index < most) {
    if (std::ifstream(folder(plugins[index]) + "manifest.ttl"))
      found[foundCount++] = {plugins[index].name, plugins[index].kinds, make<index>, set, process,
                             end, nullptr, delay};
    find<index + 1>();
  }
}

}  // namespace

const effect *peer_effects(int *count) {
  if (foundCount == 0) find();
  *count = foundCount;
  return found;
}
