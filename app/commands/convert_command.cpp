#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>
#include <ostream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "app/charges_input.h"
#include "app/commands/convert_source.h"
#include "app/json_text.h"
#include "app/shared_options.h"
#include "app/stop_signals.h"
#include "core/alternatives.h"
#include "core/counted_noun.h"
#include "core/terminal_text.h"
#include "core/version.h"
#include "inputs/text_source.h"
#include "outputs/files/atomic_file.h"
#include "outputs/files/require_free.h"
#include "outputs/structures/structure_file.h"
#include "outputs/trajectories/trajectory_file.h"

namespace dropmd {

namespace {

namespace fs = std::filesystem;

void add_options(OptionTable& options) {
  add_file_argument(options);
  add_units_option(options);
  options.add({},
              {{"every", "every N-th frame, starting with the first", "N"},
               {"select",
                "droplet: the largest cluster of each frame; else the molecules, residues, species or "
                "atoms of this name",
                "NAME"},
               {"structure", "names, masses, charges and molecules: a structure or run file of the same atoms", "FILE"},
               {"link-distance", "for --select droplet: molecules with sites nearer than this link", "D"},
               {"json", "one JSON object on standard output, and nothing else"},
               {"force", "overwrite existing files"},
               {"q,quiet", "no progress, no warnings"}});
}

/// What was written.
struct Result {
  std::size_t frames = 0, atoms = 0;  ///< atoms: of the last frame
  bool is_even = true;                ///< whether frames are as many steps apart as the first two
};

bool is_trajectory(const fs::path& path) {
  const std::vector<std::string_view> known = trajectory_extensions();
  return std::find(known.begin(), known.end(), path.extension().string()) != known.end();
}

/// Throws OutputError for a name whose format is neither that of a trajectory nor of a structure.
void require_format(const fs::path& path) {
  if (is_trajectory(path)) return;
  std::vector<std::string_view> known = written_structure_extensions();
  if (std::find(known.begin(), known.end(), path.extension().string()) != known.end()) return;
  known = trajectory_extensions();
  for (const std::string_view extension : written_structure_extensions())
    if (std::find(known.begin(), known.end(), extension) == known.end()) known.push_back(extension);
  throw OutputError(fmt::format("{}: no format for this name (it must end in {})", path.string(), alternatives(known)));
}

/// Whether a format's frames have a time and no ids; all must then have the same atoms, which are numbered anew.
bool has_constant_atoms(const fs::path& path) { return path.extension() == ".xtc" || path.extension() == ".dcd"; }

/// A later frame has ids, which the first did not need: atoms have left in between.
struct NeedsIds {};

/// Writes frames to a trajectory. ids: whether frames say the ids of their atoms even where these are 1, 2, ...
class TrajectoryOutput {
 public:
  TrajectoryOutput(fs::path path, bool ids)
      : path_(std::move(path)), is_constant_(has_constant_atoms(path_)), writes_ids_(ids && !is_constant_) {}

  void write(const fs::path& temporary, ConvertSource& source, Result& result) {
    std::optional<ConvertedFrame> frame = source.next();
    if (!frame) return;
    std::optional<ConvertedFrame> second = source.next();
    open(temporary, *frame, second, source.names());
    for (; frame; frame = std::exchange(second, source.next())) {
      append(*frame);
      const auto k = static_cast<std::int64_t>(result.frames);
      result.is_even = result.is_even && frame->step == first_step_ + k * every_;
      ++result.frames;
      result.atoms = frame->particles.size();
      if (!second) break;
    }
    writer_->close();
  }

 private:
  /// A header may say how far apart frames are, which is taken from the first two.
  void open(const fs::path& temporary, ConvertedFrame& first, const std::optional<ConvertedFrame>& second,
            const AtomNames* names) {
    TrajectoryContents contents{.units = units_of(first.units), .title = first.title};
    if (second && second->step > first.step) contents.every = second->step - first.step;
    if (second && first.time && second->time)
      contents.timestep = std::max(0.0, (*second->time - *first.time) / static_cast<double>(contents.every));
    first_step_ = first.step;
    every_ = contents.every;
    contents.ids = writes_ids_;
    for (std::size_t i = 0; i < first.particles.size(); ++i) ids_.push_back(first.particles.id_of(i));
    if (is_constant_) first.particles.id.clear();
    contents.particles = &first.particles;
    if (names != nullptr && !is_constant_) contents.names = std::make_shared<const AtomNames>(*names);
    writer_ = trajectory_format(path_).open({.path = temporary, .overwrite = true}, contents);
  }

  void append(ConvertedFrame& frame) {
    if (is_constant_) {
      require_same_atoms(frame);
      frame.particles.id.clear();
    } else if (!writes_ids_ && !frame.particles.id.empty()) {
      throw NeedsIds{};
    }
    writer_->append({frame.step, frame.time, frame.particles});
  }

  void require_same_atoms(const ConvertedFrame& frame) const {
    const Particles& p = frame.particles;
    bool same = p.size() == ids_.size();
    for (std::size_t i = 0; same && !p.id.empty() && i < ids_.size(); ++i) same = p.id[i] == ids_[i];
    if (!same)
      throw OutputError(
          fmt::format("{}: frame {} has different atoms from the first, {} and not {}, but all frames of a {} file "
                      "have the same (--select NAME of what stays, or use a name that ends in .xyz)",
                      path_.string(), frame.number, p.size(), ids_.size(), path_.extension().string()));
  }

  fs::path path_;
  bool is_constant_, writes_ids_;
  std::unique_ptr<TrajectoryWriter> writer_;
  std::int64_t first_step_ = 0, every_ = 1;
  std::vector<std::uint32_t> ids_;  ///< of the first frame
};

/// Writes the last frame, the only one that the format has.
void write_last(const GivenOptions& options, const fs::path& path, ConvertSource& source, Result& result) {
  std::optional<ConvertedFrame> last;
  while (std::optional<ConvertedFrame> frame = source.next()) last = std::move(frame);
  if (!last || StopSignals::came()) return;
  const Units& units = units_of(last->units);
  StructureView view{.particles = last->particles,
                     .units = &units,
                     .title = last->title,
                     .step = last->step,
                     .time = last->time,
                     .names = source.names()};
  write_structure_file(path, view, options.has("force"));
  result = {1, last->particles.size()};
}

/// Thrown to leave nothing behind.
struct Stopped {};

constexpr CountedNoun kFrames{"frame", "frames"}, kAtoms{"atom", "atoms"};

std::string assumption_text(std::optional<UnitSystem> units) {
  if (!units) return {};
  return *units == UnitSystem::real ? "; taken to be in units real (--units lj for a run in lj units)"
                                    : "; taken to be in units lj (--units real for A and e)";
}

std::string result_text(const fs::path& path, const Result& result, const ConvertSource& source) {
  const std::string what = is_trajectory(path)
                               ? fmt::format("{} of {} {}", result.frames, source.n_read(), kFrames.of(source.n_read()))
                               : fmt::format("the last of {} {}", source.n_read(), kFrames.of(source.n_read()));
  return fmt::format("wrote {}: {}, {} {}{}\n", without_commands(path.string()), what, result.atoms,
                     kAtoms.of(result.atoms), assumption_text(source.assumed_units()));
}

ExitStatus run(const GivenOptions& options, Streams& streams) {
  const std::vector<std::string> files = options.list("file");
  if (files.size() != 2) throw UsageError("convert takes two files (dropmd convert IN OUT)");
  const fs::path in = files[0], out = files[1];
  if (options.has("link-distance") && !(options.has("select") && options.text("select") == kDroplet))
    throw UsageError("--link-distance is for --select droplet");
  std::vector<fs::path> inputs{in};
  if (options.has("structure")) inputs.emplace_back(options.text("structure"));
  for (const fs::path& input : inputs) require_regular_file(input, "a file of atoms");
  require_format(out);
  require_free({out}, inputs, options.has("force"));
  require_folder(out);
  remove_leftovers_of_killed(out, inputs);

  const StopSignals signals;
  Result result;
  std::optional<ConvertSource> of_input;
  const auto convert = [&](bool ids) {
    result = {};
    ConvertSource& source = of_input.emplace(options, streams, in);
    if (is_trajectory(out))
      write_atomically_at(out, options.has("force"), [&](const fs::path& temporary) {
        TrajectoryOutput(out, ids).write(temporary, source, result);
        if (StopSignals::came()) throw Stopped{};
        if (result.frames == 0) throw InputError({in.string()}, "no frame has an atom of the selection");
      });
    else
      write_last(options, out, source, result);
    if (StopSignals::came()) throw Stopped{};
  };
  try {
    try {
      convert(options.has("select"));
    } catch (const NeedsIds&) {
      convert(true);
    }
  } catch (const Stopped&) {
    if (!options.has("quiet")) streams.err << "dropmd: stopped; nothing was written\n";
    return StopSignals::status();
  }
  const ConvertSource& source = *of_input;
  if (source.n_empty() > 0)
    show_warnings({fmt::format("{} {} without an atom of the selection: not written", source.n_empty(),
                               kFrames.of(source.n_empty()))},
                  options, streams);
  if (source.lacks_times() && has_constant_atoms(out))
    show_warnings({fmt::format("{}: frames without a time have time 0 there, since a {} file always has one",
                               out.string(), out.extension().string())},
                  options, streams);
  if (!result.is_even && out.extension() == ".dcd")
    show_warnings(
        {fmt::format("{}: a .dcd file has only one interval between frames, but these are not evenly spaced: their "
                     "steps and times are wrong there",
                     out.string())},
        options, streams);
  if (options.has("json"))
    streams.out << json_text(Json::Object{{"file", out.string()},
                                          {"frames_read", source.n_read()},
                                          {"frames", result.frames},
                                          {"n_atoms", result.atoms},
                                          {"version", kVersion}});
  else if (!options.has("quiet"))
    streams.out << result_text(out, result, source);
  return ExitStatus::done;
}

}  // namespace

Command convert_command() {
  return {"convert",
          "IN OUT",
          "convert trajectories and structures: other formats, fewer frames, fewer atoms",
          {"dropmd convert inputs/samples/water-na.gro water.xyz",
           "dropmd convert inputs/samples/water-na.gro droplet.xyz --select droplet --structure "
           "inputs/samples/water-na.toml",
           "dropmd convert inputs/samples/lj-cluster-13.xyz cluster.gro --every 2 --force"},
          add_options,
          run};
}

}  // namespace dropmd
