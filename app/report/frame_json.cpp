#include "app/report/frame_json.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <functional>
#include <gemmi/elem.hpp>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/report/base64.h"
#include "app/report/run_tables.h"
#include "app/report/shown_atoms.h"
#include "app/report/trajectory_frames.h"
#include "core/errors.h"
#include "engine/jobs/run_checkpoint.h"
#include "engine/molecules/molecules.h"
#include "inputs/structures/element_species.h"
#include "inputs/structures/structure_file.h"
#include "inputs/trajectories/trajectory_source.h"
#include "integrators/integrator.h"

namespace dropmd {

namespace {

constexpr std::size_t kMostAtoms = 50'000;
constexpr std::size_t kMostKinds = 255;  // numbers of kinds are bytes

/// Returns the symbol of an atom's element: its species, if that is one; else from its mass; else from the beginning of
/// its species' name, as for OW and HW1; empty if none of these tells it.
std::string element_of(const std::string& species, std::optional<double> mass) {
  const auto symbol_of = [](const std::string& text) {
    const gemmi::Element element(text);
    return text == element.name() && element != gemmi::El::X ? text : std::string();
  };
  if (std::string symbol = symbol_of(species); !symbol.empty()) return symbol;
  if (mass)
    if (std::string symbol = element_of_mass(*mass); !symbol.empty()) return symbol;
  // Names of ions are in capitals in force fields; two letters of other names are not an element's.
  for (const char* ion : {"NA", "CL", "LI", "RB", "CS", "BR", "MG", "ZN"})
    if (species == ion || species == std::string(ion) + "+" || species == std::string(ion) + "-")
      return {ion[0], static_cast<char>(ion[1] - 'A' + 'a')};
  const std::size_t letter = species.find_first_of("HCNOPSKF");
  return letter == 0 ? species.substr(0, 1) : std::string();
}

/// Returns the radius of an atom's sphere, length: its van der Waals radius, or half the distance between two atoms at
/// the minimum of an LJ potential with σ = 1, or with σ = 3 Å of an unknown element.
double radius_of(const std::string& element, UnitSystem units) {
  constexpr double kHalfMinimum = 0.5612310241546865;  // 2^(1/6) / 2
  if (units == UnitSystem::lj) return kHalfMinimum;
  if (element.empty()) return 3 * kHalfMinimum;
  return static_cast<double>(gemmi::Element(element).vdw_r());
}

struct Kind {
  std::string name, element;
  double radius;
  std::uint64_t count = 0;
};

/// Returns the kind of each species, whose mass is that of its first atom.
std::vector<Kind> kinds_of(const Structure& structure, UnitSystem units) {
  std::vector<std::optional<double>> mass(structure.species_names.size());
  if (units == UnitSystem::real && !structure.mass.empty())
    for (std::size_t i = 0; i < structure.species.size(); ++i)
      if (auto& of_species = mass[structure.species[i]]; !of_species) of_species = structure.mass[i];
  std::vector<Kind> kinds;
  for (std::size_t s = 0; s < mass.size(); ++s) {
    const std::string element = element_of(structure.species_names[s], mass[s]);
    kinds.push_back({element.empty() ? structure.species_names[s] : element, element, radius_of(element, units)});
  }
  return kinds;
}

std::vector<std::uint32_t> atoms_with_mass(const Structure& structure) {
  std::vector<std::uint32_t> index;
  for (std::size_t i = 0; i < structure.position.size(); ++i)
    if (structure.mass.empty() || structure.mass[i] > 0) index.push_back(static_cast<std::uint32_t>(i));
  return index;
}

std::string label_of(std::optional<double> step, std::optional<double> time, const Units& units) {
  std::string label = step ? fmt::format("step {:.15g}", *step) : std::string();
  if (time && (*time != 0 || !step))
    label += fmt::format("{}{:.6g} {}", label.empty() ? "" : ", ", *time, printed_unit(units.time));
  return label;
}

std::optional<Structure> if_readable(const std::function<std::optional<Structure>()>& read, std::string& reason) {
  try {
    return read();
  } catch (const Error& error) {
    reason = error.what();
  }
  return std::nullopt;
}

/// Returns the structure that a run began with, with the elements and masses of its topology, by which virtual sites
/// are recognised. Frames of formats without masses, such as .xtc, take these.
std::optional<Structure> structure_at_start(const RunConfig& config) {
  Structure structure = read_structure_file(config.structure);
  read_molecules(config, structure);
  return structure;
}

/// Returns the name of a trajectory in the folder of a run without a checkpoint; empty if there is none.
std::string trajectory_in(const std::filesystem::path& folder) {
  std::string found;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    const std::filesystem::path name = entry.path().filename();
    if (!entry.is_regular_file() || name.stem() == "final" || !has_frames_format(name)) continue;
    if (found.empty() || name.string() < found) found = name.string();
  }
  return found;
}

}  // namespace

Json frame_json(const Structure& structure, UnitSystem units, const std::string& label, std::size_t most) {
  const double edge = units == UnitSystem::real ? 5 : 2;  // a few atoms of a liquid
  const ShownAtoms shown = choose_atoms(structure.position, atoms_with_mass(structure), edge, most);

  std::vector<Kind> of_species = kinds_of(structure, units), kinds;
  std::vector<std::uint8_t> kind_of_species;  // species of one element are one kind
  for (const Kind& kind : of_species) {
    auto same = std::find_if(kinds.begin(), kinds.end(), [&](const Kind& k) { return k.name == kind.name; });
    if (same == kinds.end() && kinds.size() < kMostKinds) same = kinds.insert(same, kind);
    kind_of_species.push_back(static_cast<std::uint8_t>(
        std::min<std::size_t>(static_cast<std::size_t>(same - kinds.begin()), kinds.empty() ? 0 : kinds.size() - 1)));
  }

  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  Vec3<double> low{kInfinity, kInfinity, kInfinity}, high{-kInfinity, -kInfinity, -kInfinity};
  for (const std::uint32_t i : shown.index) {
    const Vec3<double>& r = structure.position[i];
    low = {std::min(low.x, r.x), std::min(low.y, r.y), std::min(low.z, r.z)};
    high = {std::max(high.x, r.x), std::max(high.y, r.y), std::max(high.z, r.z)};
  }
  const Vec3<double> centre = shown.index.empty() ? Vec3<double>{} : 0.5 * (low + high);
  const double half = std::max({high.x - centre.x, high.y - centre.y, high.z - centre.z, 1e-9});
  constexpr double kMost = std::numeric_limits<std::int16_t>::max();
  std::vector<std::int16_t> position;
  std::vector<std::uint8_t> kind;
  for (const std::uint32_t i : shown.index) {
    const Vec3<double> d = structure.position[i] - centre;
    for (const double x : {d.x, d.y, d.z})
      position.push_back(static_cast<std::int16_t>(std::lround(std::clamp(x / half, -1.0, 1.0) * kMost)));
    kind.push_back(kind_of_species[structure.species[i]]);
    ++kinds[kind.back()].count;
  }
  Json::List list;
  for (const Kind& k : kinds)
    list.push_back(Json::Object{{"name", k.name}, {"element", k.element}, {"radius", k.radius}, {"count", k.count}});
  return Json::Object{{"label", label},
                      {"note", shown.what},
                      {"atoms", std::uint64_t{structure.position.size()}},
                      {"kinds", std::move(list)},
                      {"centre", Json::List{centre.x, centre.y, centre.z}},
                      {"scale", half / kMost},
                      {"position", base64_of(position)},
                      {"kind", base64_of(kind)}};
}

FramesJson frames_json(const RunFolder& folder, UnitSystem units) {
  const Units& names = units_of(units);
  const RunConfig* config = folder.run ? &folder.run->config : nullptr;
  const std::string trajectory = config != nullptr ? config->trajectory_file : trajectory_in(folder.path);
  const bool has_time = config != nullptr && !is_minimizer(config->integrator);
  FramesJson json{{}, "no trajectory, structure or checkpoint that can be read", {}};
  const auto add = [&](const Structure& structure, std::string_view which, std::optional<double> step) {
    const std::string at = label_of(step, structure.time, names);
    json.frames.push_back(
        frame_json(structure, units, fmt::format("{}{}{}", which, at.empty() ? "" : ": ", at), kMostAtoms));
  };
  const auto frame = [&](FrameChoice choice) {
    if (trajectory.empty() || !folder.has(trajectory)) return std::optional<Structure>();
    auto read =
        if_readable([&] { return read_trajectory_frame(folder.path / trajectory, choice, units); }, json.damage);
    if (!json.damage.empty()) json.no_frames = json.damage;
    return read;
  };
  std::optional<Structure> start;
  if (config != nullptr) start = if_readable([&] { return structure_at_start(*config); }, json.no_frames);
  const auto named_frame = [&](FrameChoice choice) {
    std::optional<Structure> structure = frame(choice);
    if (structure && start && structure->mass.empty() && structure->position.size() == start->position.size())
      structure->species = start->species, structure->species_names = start->species_names,
      structure->mass = start->mass;
    return structure;
  };

  if (const std::optional<Structure> first = named_frame(FrameChoice::first))
    add(*first, "First frame", std::nullopt);
  else if (start)
    add(*start, "Structure at the start", std::nullopt);

  const std::optional<Structure> last = named_frame(FrameChoice::last);
  std::optional<Structure> saved;
  if (folder.run) {
    saved = structure_of(folder.run->from);
    if (has_time) saved->time = config->integrator.at("timestep") * static_cast<double>(folder.run->from.state.step);
  }
  if (saved && !(last && last->time > saved->time)) {
    add(*saved, "Last state", static_cast<double>(folder.run->from.state.step));
    return json;
  }
  for (const char* final : {"final.xyz", "final.gro"})
    if (!saved && folder.has(final))
      if (const auto end =
              if_readable([&] { return std::optional(read_structure_file(folder.path / final)); }, json.no_frames)) {
        add(*end, "Final structure", std::nullopt);
        return json;
      }
  if (last) add(*last, "Last frame", std::nullopt);
  return json;
}

}  // namespace dropmd
