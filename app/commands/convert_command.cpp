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
#include "app/json_text.h"
#include "app/option_values.h"
#include "app/shared_options.h"
#include "app/stop_signals.h"
#include "core/alternatives.h"
#include "core/counted_noun.h"
#include "core/terminal_text.h"
#include "core/version.h"
#include "engine/droplet/frame_atoms.h"
#include "engine/molecules/molecules.h"
#include "inputs/run_file/run_config.h"
#include "inputs/structures/structure_file.h"
#include "inputs/text_source.h"
#include "inputs/trajectories/trajectory_source.h"
#include "outputs/files/atomic_file.h"
#include "outputs/files/require_free.h"
#include "outputs/share_progress.h"
#include "outputs/structures/structure_file.h"
#include "outputs/trajectories/trajectory_file.h"

namespace dropmd {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view kDroplet = "droplet";

void add_options(OptionTable& options) {
  add_file_argument(options);
  add_units_option(options);
  options.add({},
              {{"every", "every N-th frame, from the first on", "N"},
               {"select",
                "droplet: the largest cluster of each frame; else the molecules, residues, species or "
                "atoms of this name",
                "NAME"},
               {"structure", "names, masses, charges and molecules: a structure or run file of the same atoms", "FILE"},
               {"link-distance", "of --select droplet: molecules with sites nearer than this link", "D"},
               {"json", "one JSON object on standard output, nothing else there"},
               {"force", "overwrite what is there"},
               {"q,quiet", "no progress, no warnings"}});
}

/// The file of --structure.
struct Reference {
  KnownAtoms atoms;
  std::optional<UnitSystem> units;
  std::optional<double> link_distance;
};

std::optional<Reference> read_reference(const GivenOptions& options, Streams& streams) {
  if (!options.has("structure")) return std::nullopt;
  const fs::path path = options.text("structure");
  if (has_structure_format(path)) {
    const Structure structure = read_structure_file(path);
    show_warnings(structure.warnings, options, streams);
    return Reference{known_atoms(structure), structure.units, std::nullopt};
  }
  RunConfig config = load_config(path);
  if (config.temperature) config.temperature = 0;  // velocities are those of the frames
  Structure structure = read_structure(config);
  const auto molecules = read_molecules(config, structure);
  const System system = build_system(config, structure, molecules);
  show_warnings(system.warnings, options, streams);
  return Reference{known_atoms(system, structure), config.units,
                   link_distance(config.droplet.value_or(DropletSettings{}), config.units)};
}

/// A frame that is to be written.
struct Converted {
  Particles particles;
  std::size_t number = 0;  ///< in the input, from 1
  std::int64_t step = 0;
  std::optional<double> time;
  UnitSystem units = UnitSystem::real;
  std::string title;
};

/// Formats that are in nm, Å and ps, unless a run in units lj wrote its numbers to them.
bool has_usual_units(const fs::path& path) {
  const std::string extension = path.extension().string();
  return extension == ".xtc" || extension == ".pdb" || extension == ".ent";
}

/// Reads the frames and selects their atoms.
class Source {
 public:
  /// keeps_units: whether the output says as little of its units as a .gsd file.
  Source(const GivenOptions& options, Streams& streams, const fs::path& path, bool keeps_units)
      : options_(options),
        streams_(streams),
        reference_(read_reference(options, streams)),
        atoms_(reference_ ? std::optional(reference_->atoms) : std::nullopt),
        every_(options.has("every") ? whole_option<std::size_t>(options, "every", 1) : 1),
        keeps_units_(keeps_units) {
    std::optional<UnitSystem> units;
    if (options.has("units")) units = word_option(options, "units", kUnitWords);
    if (!units && reference_) units = reference_->units;
    assumes_units_ = !units && has_usual_units(path);
    reader_ = open_frames(path, units);
    if (!options.has("quiet")) progress_.emplace(streams.live, streams.err_is_terminal, "convert");
  }

  /// Returns the next frame; nullopt behind the last complete one, and if a signal came.
  std::optional<Converted> next() {
    while (std::optional<InputFrame> frame = next_frame()) {
      if (n_read_ == 1) show_warnings(frame->structure.warnings, options_, streams_);
      Converted converted;
      converted.number = n_read_;
      converted.step = frame->step.value_or(static_cast<std::int64_t>(n_read_) - 1);
      converted.time = frame->structure.time;
      lacks_times_ = lacks_times_ || !converted.time;
      converted.units = units_of(frame->structure);
      converted.title = frame->structure.title;
      atoms_.take(std::move(*frame), n_read_);
      if (!options_.has("select")) {
        converted.particles = atoms_.particles();
        return converted;
      }
      const std::vector<std::uint32_t> selected = select(converted.units);
      if (selected.empty()) {
        ++n_empty_;
        continue;
      }
      converted.particles = part_of(atoms_.particles(), selected);
      return converted;
    }
    return std::nullopt;
  }

  const AtomNames* names() const { return atoms_.names(); }
  std::size_t n_read() const { return n_read_; }
  /// Frames without an atom of the selection, which are not written.
  std::size_t n_empty() const { return n_empty_; }
  /// Whether the units are those that files of this format usually have, and neither the file nor an option says them.
  bool assumes_units() const { return assumes_units_; }
  /// Whether a frame had no time.
  bool lacks_times() const { return lacks_times_; }

 private:
  std::optional<InputFrame> next_frame() {
    try {
      while (!StopSignals::came()) {
        if (progress_) progress_->update(reader_->share().done, reader_->share().of);
        if (n_read_ % every_ != 0) {
          if (!reader_->skip()) return std::nullopt;
          ++n_read_;
          continue;
        }
        std::optional<InputFrame> frame = reader_->next();
        if (frame) ++n_read_;
        return frame;
      }
    } catch (const CutOffFrame& reason) {
      show_warnings({reason.what()}, options_, streams_);
    }
    return std::nullopt;
  }

  UnitSystem units_of(const Structure& structure) {
    std::optional<UnitSystem> units = units_of_structure(options_, structure);
    if (!units && reference_) units = reference_->units;
    const bool measures = options_.has("select") && options_.text("select") == kDroplet;
    if (!units && n_read_ == 1 && (!keeps_units_ || measures))
      show_warnings(
          {fmt::format("{} does not say its units: they count as real (--units lj for reduced units)", structure.file)},
          options_, streams_);
    if (units && reference_ && reference_->units && *units != *reference_->units)
      throw InputError(structure.units_place,
                       fmt::format("frame {} is in units {}, and the file of --structure in {} (one of the same run)",
                                   n_read_, dropmd::units_of(*units).name, dropmd::units_of(*reference_->units).name));
    return units.value_or(UnitSystem::real);
  }

  std::vector<std::uint32_t> select(UnitSystem units) const {
    const std::string& name = options_.text("select");
    if (name == kDroplet) return droplet_atoms(atoms_, distance(units));
    std::vector<std::uint32_t> selected = atoms_named(atoms_, name);
    if (selected.empty() && n_read_ == 1)
      throw UsageError(fmt::format("--select {}: no molecule, residue, species or atom of this name in frame 1 {}",
                                   without_commands(name), known_words_hint(name, known_names())));
    return selected;
  }

  std::vector<std::string_view> known_names() const {
    constexpr std::size_t kMost = 20;
    std::vector<std::string_view> names{kDroplet};
    for (const std::string_view name : selectable_names(atoms_))
      if (names.size() < kMost) names.push_back(name);
    return names;
  }

  double distance(UnitSystem units) const {
    if (options_.has("link-distance")) return real_option(options_, "link-distance", Zero::excluded);
    if (reference_ && reference_->link_distance) return *reference_->link_distance;
    return usual_link_distance(units);
  }

  const GivenOptions& options_;
  Streams& streams_;
  std::optional<Reference> reference_;
  FrameAtoms atoms_;
  std::unique_ptr<TrajectoryReader> reader_;
  std::optional<ShareProgress> progress_;
  std::size_t every_, n_read_ = 0, n_empty_ = 0;
  bool keeps_units_, assumes_units_ = false, lacks_times_ = false;
};

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

/// Formats whose frames have a time and no ids: all must have the same atoms, which are numbered anew.
bool has_constant_atoms(const fs::path& path) { return path.extension() == ".xtc" || path.extension() == ".dcd"; }

/// Puts frames into a trajectory.
class TrajectoryOutput {
 public:
  TrajectoryOutput(const GivenOptions& options, fs::path path) : options_(options), path_(std::move(path)) {}

  void write(const fs::path& temporary, Source& source, Result& result) {
    std::optional<Converted> frame = source.next();
    if (!frame) return;
    std::optional<Converted> second = source.next();
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
  /// A header may say how far frames are from each other, as far as the first two tell.
  void open(const fs::path& temporary, Converted& first, const std::optional<Converted>& second,
            const AtomNames* names) {
    TrajectoryContents contents{.units = units_of(first.units), .title = first.title};
    if (second && second->step > first.step) contents.every = second->step - first.step;
    if (second && first.time && second->time)
      contents.timestep = std::max(0.0, (*second->time - *first.time) / static_cast<double>(contents.every));
    first_step_ = first.step;
    every_ = contents.every;
    is_constant_ = has_constant_atoms(path_);
    contents.ids = !is_constant_ && (options_.has("select") || !first.particles.id.empty());
    for (std::size_t i = 0; i < first.particles.size(); ++i) ids_.push_back(first.particles.id_of(i));
    if (is_constant_) first.particles.id.clear();
    contents.particles = &first.particles;
    if (names != nullptr && !is_constant_) contents.names = std::make_shared<const AtomNames>(*names);
    writer_ = trajectory_format(path_).open({.path = temporary, .overwrite = true}, contents);
  }

  void append(Converted& frame) {
    if (is_constant_) {
      require_same_atoms(frame);
      frame.particles.id.clear();
    }
    writer_->append({frame.step, frame.time, frame.particles});
  }

  void require_same_atoms(const Converted& frame) const {
    const Particles& p = frame.particles;
    bool same = p.size() == ids_.size();
    for (std::size_t i = 0; same && !p.id.empty() && i < ids_.size(); ++i) same = p.id[i] == ids_[i];
    if (!same)
      throw OutputError(
          fmt::format("{}: frame {} has other atoms than the first, {} and not {}, and all frames of a {} "
                      "file have the same (--select NAME of what stays, or a name that ends in .xyz)",
                      path_.string(), frame.number, p.size(), ids_.size(), path_.extension().string()));
  }

  const GivenOptions& options_;
  fs::path path_;
  std::unique_ptr<TrajectoryWriter> writer_;
  std::int64_t first_step_ = 0, every_ = 1;
  bool is_constant_ = false;
  std::vector<std::uint32_t> ids_;  ///< of the first frame
};

/// Writes the last frame, the only one that the format has.
void write_last(const GivenOptions& options, const fs::path& path, Source& source, Result& result) {
  std::optional<Converted> last;
  while (std::optional<Converted> frame = source.next()) last = std::move(frame);
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

std::string result_text(const fs::path& path, const Result& result, const Source& source) {
  const std::string what = is_trajectory(path)
                               ? fmt::format("{} of {} {}", result.frames, source.n_read(), kFrames.of(source.n_read()))
                               : fmt::format("the last of {} {}", source.n_read(), kFrames.of(source.n_read()));
  return fmt::format("wrote {}: {}, {} {}{}\n", without_commands(path.string()), what, result.atoms,
                     kAtoms.of(result.atoms),
                     source.assumes_units() ? "; taken to be in units real (--units lj for a run in these)" : "");
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
  Source source(options, streams, in, out.extension() == ".gsd");
  try {
    if (is_trajectory(out))
      write_atomically_at(out, options.has("force"), [&](const fs::path& temporary) {
        TrajectoryOutput(options, out).write(temporary, source, result);
        if (StopSignals::came()) throw Stopped{};
        if (result.frames == 0) throw InputError({in.string()}, "no frame has an atom of the selection");
      });
    else
      write_last(options, out, source, result);
    if (StopSignals::came()) throw Stopped{};
  } catch (const Stopped&) {
    if (!options.has("quiet")) streams.err << "dropmd: stopped; nothing was written\n";
    return StopSignals::status();
  }
  if (source.n_empty() > 0)
    show_warnings({fmt::format("{} {} without an atom of the selection: not written", source.n_empty(),
                               kFrames.of(source.n_empty()))},
                  options, streams);
  if (source.lacks_times() && has_constant_atoms(out))
    show_warnings({fmt::format("{}: frames without a time: it is 0 there, since a {} file always has one", out.string(),
                               out.extension().string())},
                  options, streams);
  if (!result.is_even && out.extension() == ".dcd")
    show_warnings(
        {fmt::format("{}: a .dcd file has one distance between frames, and these are not equally far from each "
                     "other: their steps and times are wrong there",
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
