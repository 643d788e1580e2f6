#include "python/session.h"

#include <algorithm>
#include <memory>
#include <span>
#include <stdexcept>
#include <utility>

#include "engine/jobs/resume.h"
#include "engine/jobs/run_checkpoint.h"
#include "engine/model/form_catalog.h"
#include "engine/model/invariance.h"
#include "engine/molecules/molecules.h"
#include "inputs/run_file/resolved_run.h"
#include "inputs/run_file/run_file.h"
#include "inputs/structures/structure.h"
#include "outputs/checkpoint/checkpoint_file.h"

namespace dropmd::python {

namespace {

std::vector<Setting> parse(const std::vector<std::string>& settings) {
  std::vector<Setting> parsed;
  for (const std::string& text : settings) parsed.push_back(parse_setting("setting", text));
  return parsed;
}

/// The name of a structure in memory.
constexpr const char* kInMemory = "positions.xyz";

/// Returns the settings with a structure, which a run file must name, also if its atoms are in memory.
std::vector<Setting> with_structure(std::vector<Setting> settings) {
  settings.push_back(parse_setting("positions", std::string("system.structure=\"") + kInMemory + '"'));
  return settings;
}

/// Reads a run file. Atoms in memory replace its structure, or, beside a topology whose structure has names, the
/// positions in it.
template <class Read>
RunConfig read(const std::vector<std::string>& settings, const GivenAtoms& atoms, const Read& read_with) {
  const std::vector<Setting> given = parse(settings);
  if (atoms.position.empty()) return read_with(given);
  RunConfig in_memory = read_with(with_structure(given));
  if (!in_memory.topology.given()) return in_memory;
  try {
    return read_with(given);
  } catch (const InputError&) {  // it names no structure: everything else was right
    return in_memory;
  }
}

template <class T>
void take(const std::vector<T>& given, std::size_t n_atoms, const char* name, std::vector<T>& to) {
  if (given.empty()) return;
  if (given.size() != n_atoms)
    throw std::invalid_argument(std::to_string(given.size()) + " " + name + " for " + std::to_string(n_atoms) +
                                " atoms (one for each)");
  to = given;
}

Structure structure_of(const GivenAtoms& atoms) {
  Structure structure;
  const std::size_t n = atoms.position.size();
  structure.position = atoms.position;
  take(atoms.velocity, n, "velocities", structure.velocity);
  take(atoms.mass, n, "masses", structure.mass);
  take(atoms.charge, n, "charges", structure.charge);
  std::vector<std::string> species(n, "X");
  take(atoms.species, n, "species", species);
  for (const std::string& name : species) {
    auto& names = structure.species_names;
    const auto found = std::find(names.begin(), names.end(), name);
    structure.species.push_back(static_cast<std::uint32_t>(found - names.begin()));
    if (found == names.end()) names.push_back(name);
  }
  return structure;
}

/// Returns the structure of a file with other positions and, if they are given, velocities.
Structure moved(Structure structure, const GivenAtoms& atoms) {
  const std::size_t n = structure.position.size();
  if (!atoms.mass.empty() || !atoms.charge.empty() || !atoms.species.empty())
    throw std::invalid_argument("masses, charges and species are those of the topology (leave them out)");
  take(atoms.position, n, "positions", structure.position);
  structure.velocity.clear();
  structure.momentum.clear();
  take(atoms.velocity, n, "velocities", structure.velocity);
  return structure;
}

System system_of(const RunConfig& config, const GivenAtoms& atoms) {
  if (atoms.position.empty()) return read_system(config);
  const bool in_memory = config.structure.filename() == kInMemory;
  Structure structure = in_memory ? structure_of(atoms) : moved(read_structure(config), atoms);
  const std::shared_ptr<const MolecularModel> molecules = read_molecules(config, structure);
  return build_system(config, structure, molecules);
}

/// What only a run does must not be left out silently.
void require_steps_alone(const RunConfig& config) {
  if (config.follows_droplet() || (config.droplet && config.droplet->removes()))
    throw std::invalid_argument(
        "'remove-beyond' in [droplet], and what follows the droplet, are for `dropmd run` (leave them out, and call "
        "remove())");
}

}  // namespace

bool names_topology(const std::filesystem::path& file) {
  return read_run_file(file, form_catalog(), with_structure({})).topology.given();
}

Session::Session(RunConfig config, System system)
    : config_(std::move(config)),
      warnings_(config_.warnings),
      simulation_((require_steps_alone(config_), std::move(system)), config_) {
  const std::vector<std::string>& of_system = simulation_.system().warnings;
  warnings_.insert(warnings_.end(), of_system.begin(), of_system.end());
}

/// Step 0 is complete: the atoms are recentred, and forces known.
Session Session::begun(RunConfig config, const GivenAtoms& atoms) {
  System system = system_of(config, atoms);
  Session session(std::move(config), std::move(system));
  session.simulation_.step(0);
  return session;
}

Session Session::of_file(const std::filesystem::path& file, const std::vector<std::string>& settings,
                         const GivenAtoms& atoms) {
  RunConfig config =
      read(settings, atoms, [&](std::span<const Setting> given) { return read_run_file(file, form_catalog(), given); });
  return begun(std::move(config), atoms);
}

Session Session::of_text(const std::string& text, const std::vector<std::string>& settings, const GivenAtoms& atoms) {
  const std::string name = "run";
  RunConfig config = read(settings, atoms, [&](std::span<const Setting> given) {
    return parse_run_file({name, text}, name, form_catalog(), given);
  });
  return begun(std::move(config), atoms);
}

Session Session::of_checkpoint(const std::filesystem::path& path, const std::vector<std::string>& settings) {
  const std::vector<Setting> parsed = parse(settings);
  ResumedRun run = resume_run(path, std::nullopt, parsed);
  System system = continued_system(run.config, run.from);
  Session session(std::move(run.config), std::move(system));
  session.simulation_.restore(run.from.state);
  return session;
}

void Session::save(const std::filesystem::path& path) {
  with([&](Simulation& simulation) {
    Checkpoint checkpoint = checkpoint_of(config_, simulation.system());
    checkpoint.state = simulation.state();
    take_constants(simulation.system(), checkpoint);
    write_checkpoint(path, checkpoint);
  });
}

std::string Session::run_file() const { return resolved_run_toml(config_, invariance_of(simulation_.system())); }

}  // namespace dropmd::python
