#include "python/session.h"

#include <memory>
#include <optional>
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
#include "inputs/structures/species_index.h"
#include "inputs/structures/structure.h"
#include "outputs/checkpoint/checkpoint_file.h"

namespace dropmd::python {

namespace {

std::vector<Setting> parse(const std::vector<std::string>& settings) {
  std::vector<Setting> parsed;
  for (const std::string& text : settings) parsed.push_back(parse_setting("setting", text));
  return parsed;
}

/// What a run file calls a structure that is in no file.
constexpr const char* kNoFile = "/no-file/positions.xyz";

/// Returns the settings with a structure, which a run file must name even if its atoms are in memory.
std::vector<Setting> with_structure(std::vector<Setting> settings) {
  settings.push_back(parse_setting("positions", std::string("system.structure=\"") + kNoFile + '"'));
  return settings;
}

template <class T>
void take(const std::optional<std::vector<T>>& given, std::size_t n_atoms, const char* name, std::vector<T>& to) {
  if (!given) return;
  if (given->size() != n_atoms)
    throw std::invalid_argument(std::to_string(given->size()) + " " + name + " for " + std::to_string(n_atoms) +
                                " atoms (give one for each)");
  to = *given;
}

Structure structure_of(const GivenAtoms& atoms) {
  Structure structure;
  structure.position = atoms.position.value();
  const std::size_t n = structure.position.size();
  take(atoms.velocity, n, "velocities", structure.velocity);
  take(atoms.mass, n, "masses", structure.mass);
  take(atoms.charge, n, "charges", structure.charge);
  std::vector<std::string> species(n, "X");
  take(atoms.species, n, "species", species);
  SpeciesIndex index(structure);
  for (const std::string& name : species) index.add_atom(name);
  return structure;
}

/// Returns the structure of a file with other positions and, if they are given, velocities.
Structure moved(Structure structure, const GivenAtoms& atoms) {
  const std::size_t n = structure.position.size();
  take(atoms.position, n, "positions", structure.position);
  structure.velocity.clear();
  structure.momentum.clear();
  take(atoms.velocity, n, "velocities", structure.velocity);
  return structure;
}

/// topology_name: what the topology is called from then on, instead of its file's name.
System system_of(RunConfig& config, Structure structure, const std::optional<std::string>& topology_name) {
  std::shared_ptr<const MolecularModel> molecules = read_molecules(config, structure);
  if (topology_name && molecules) {
    for (std::string& warning : structure.warnings)
      if (const std::string file = config.topology.file.string(); warning.starts_with(file))
        warning.replace(0, file.size(), *topology_name);
    auto named = std::make_shared<MolecularModel>(*molecules);
    named->file = *topology_name;
    config.topology.file = *topology_name;
    molecules = std::move(named);
  }
  return build_system(config, structure, molecules);
}

/// A run file with the system that belongs to it.
struct Read {
  RunConfig config;
  System system;
};

/// Reads a run file. Atoms in memory replace its structure; beside a topology, they replace the positions in the
/// structure, if the run file names one.
template <class ReadWith>
Read read(const std::vector<std::string>& settings, const GivenAtoms& atoms, const ReadWith& read_with) {
  const std::vector<Setting> given = parse(settings);
  if (!atoms.position) {
    RunConfig config = read_with(given);
    System system = read_system(config);
    return {std::move(config), std::move(system)};
  }
  if (atoms.position->empty()) throw std::invalid_argument("positions are of no atoms (give at least one)");
  RunConfig in_memory = read_with(with_structure(given));
  if (in_memory.topology.given()) {
    if (atoms.mass || atoms.charge || atoms.species)
      throw std::invalid_argument("masses, charges and species are those of the topology (leave them out)");
    std::optional<RunConfig> of_file;
    try {
      of_file = read_with(given);
    } catch (const InputError&) {  // it names no structure: everything else was right
    }
    if (of_file && of_file->structure != kNoFile) {
      System system = system_of(*of_file, moved(read_structure(*of_file), atoms), atoms.topology_name);
      return {std::move(*of_file), std::move(system)};
    }
  }
  System system = system_of(in_memory, structure_of(atoms), atoms.topology_name);
  return {std::move(in_memory), std::move(system)};
}

}  // namespace

bool names_topology(const std::filesystem::path& file, const std::vector<std::string>& settings) {
  return read_run_file(file, form_catalog(), with_structure(parse(settings))).topology.given();
}

Session::Session(RunConfig config, System system)
    : config_(std::move(config)), warnings_(config_.warnings), simulation_(std::move(system), config_) {
  const std::vector<std::string>& of_system = simulation_.system().warnings;
  warnings_.insert(warnings_.end(), of_system.begin(), of_system.end());
}

/// Returns a session at a complete step 0: the atoms are recentred, and the forces are known.
Session Session::begun(RunConfig config, System system) {
  Session session(std::move(config), std::move(system));
  session.simulation_.step(0);
  return session;
}

Session Session::of_file(const std::filesystem::path& file, const std::vector<std::string>& settings,
                         const GivenAtoms& atoms) {
  Read run =
      read(settings, atoms, [&](std::span<const Setting> given) { return read_run_file(file, form_catalog(), given); });
  return begun(std::move(run.config), std::move(run.system));
}

Session Session::of_text(const std::string& text, const std::vector<std::string>& settings, const GivenAtoms& atoms) {
  const std::string name = "run";
  Read run = read(settings, atoms, [&](std::span<const Setting> given) {
    return parse_run_file({name, text}, name, form_catalog(), given);
  });
  return begun(std::move(run.config), std::move(run.system));
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

std::string Session::run_file() {
  return with([&](Simulation& simulation) { return resolved_run_toml(config_, invariance_of(simulation.system())); });
}

}  // namespace dropmd::python
