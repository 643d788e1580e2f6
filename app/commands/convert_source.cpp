#include "app/commands/convert_source.h"

#include <fmt/core.h>

#include <utility>

#include "app/charges_input.h"
#include "app/option_values.h"
#include "app/shared_options.h"
#include "app/stop_signals.h"
#include "core/part_of.h"
#include "core/terminal_text.h"
#include "engine/droplet/clusters.h"
#include "engine/molecules/molecules.h"
#include "inputs/run_file/run_config.h"
#include "inputs/structures/structure_file.h"
#include "inputs/trajectories/trajectory_source.h"

namespace dropmd {

namespace {

namespace fs = std::filesystem;

/// Formats that are in nm, Å and ps, unless a run in units lj wrote its numbers to them.
bool has_usual_units(const fs::path& path) {
  const std::string extension = path.extension().string();
  return extension == ".xtc" || extension == ".pdb" || extension == ".ent";
}

}  // namespace

std::optional<ConvertSource::Reference> ConvertSource::read_reference(const GivenOptions& options, Streams& streams) {
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

ConvertSource::ConvertSource(const GivenOptions& options, Streams& streams, const fs::path& path)
    : options_(options),
      streams_(streams),
      reference_(read_reference(options, streams)),
      atoms_(reference_ ? std::optional(reference_->atoms) : std::nullopt),
      every_(options.has("every") ? whole_option<std::size_t>(options, "every", 1) : 1),
      is_droplet_file_(path.extension() == ".drop") {
  std::optional<UnitSystem> units;
  if (options.has("units")) units = word_option(options, "units", kUnitWords);
  if (!units && reference_) units = reference_->units;
  if (!units && has_usual_units(path)) assumed_units_ = UnitSystem::real;
  reader_ = open_frames(path, units);
  if (!options.has("quiet")) progress_.emplace(streams.live, streams.err_is_terminal, "convert");
}

std::optional<ConvertedFrame> ConvertSource::next() {
  while (std::optional<InputFrame> frame = next_frame()) {
    if (n_read_ == 1) show_warnings(frame->structure.warnings, options_, streams_);
    ConvertedFrame converted;
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

std::optional<InputFrame> ConvertSource::next_frame() {
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

UnitSystem ConvertSource::units_of(const Structure& structure) {
  std::optional<UnitSystem> units = units_of_structure(options_, structure);
  if (!units && reference_) units = reference_->units;
  if (!units && is_droplet_file_) units = assumed_units_ = UnitSystem::lj;  // as for map, ions and clusters
  if (!units && n_read_ == 1)
    show_warnings(
        {fmt::format("{} does not state its units: real is assumed (--units lj for reduced units)", structure.file)},
        options_, streams_);
  if (units && reference_ && reference_->units && *units != *reference_->units)
    throw InputError(
        structure.units_place,
        fmt::format("frame {} is in units {}, but the file of --structure is in {} (give one of the same run)", n_read_,
                    dropmd::units_of(*units).name, dropmd::units_of(*reference_->units).name));
  return units.value_or(UnitSystem::real);
}

std::vector<std::uint32_t> ConvertSource::select(UnitSystem units) const {
  const std::string& name = options_.text("select");
  if (name == kDroplet) return droplet_atoms(atoms_, distance(units));
  std::vector<std::uint32_t> selected = atoms_named(atoms_, name);
  if (selected.empty() && n_read_ == 1)
    throw UsageError(fmt::format("--select {}: no molecule, residue, species or atom of this name in frame 1 {}",
                                 without_commands(name), known_words_hint(name, known_names())));
  return selected;
}

std::vector<std::string_view> ConvertSource::known_names() const {
  constexpr std::size_t kMost = 20;
  std::vector<std::string_view> names{kDroplet};
  for (const std::string_view name : selectable_names(atoms_))
    if (names.size() < kMost) names.push_back(name);
  return names;
}

double ConvertSource::distance(UnitSystem units) const {
  if (options_.has("link-distance")) return real_option(options_, "link-distance", Zero::excluded);
  if (reference_ && reference_->link_distance) return *reference_->link_distance;
  return usual_link_distance(units);
}

}  // namespace dropmd
