#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/errors.h"
#include "core/topology/molecular_model.h"
#include "engine/model/system.h"

namespace dropmd {

struct RunConfig;
struct Structure;

/// Reads the topology of a run and changes it as the run file says: hydrogen masses, bonds that become constraints, and
/// the references of position restraints, which are the structure's positions. The structure takes the topology's
/// masses and charges, and its virtual sites are placed; the topology takes the structure's names and numbers of
/// residues. Returns null if the run has no topology.
///
/// Throws InputError if the structure has other atoms than the topology: another number, or other names.
std::shared_ptr<const MolecularModel> read_molecules(const RunConfig& config, Structure& structure);

/// Returns the molecules, net charge, constraints and virtual sites of a system with a topology in words, such as
/// "topology water.top: 1000 SOL, 10 NA; net charge 10 e; constraints: 1000 rigid waters of three sites".
std::string describe_molecules(const System& system);

/// Returns the names of atoms and residues in a topology or in the structure beside it; null: there are none.
const AtomNames* atom_names_of(const System& system);

/// Returns the molecules that have not left a system, in their order: "SOL 37, NA 2". Empty if they have no names or
/// are too mixed for a message.
std::string present_molecules(const System& system);

/// Returns what messages call each atom, by number: "OW of SOL 4"; empty if the atoms have no names.
std::vector<std::string> names_for_messages(const MolecularModel& model);

/// Returns make(names), with the names for messages; an InputError that it throws without a place gets the topology's
/// file.
template <class Make>
auto of_topology(const MolecularModel& model, const Make& make) {
  const std::vector<std::string> names = names_for_messages(model);
  try {
    return make(std::span<const std::string>(names));
  } catch (const InputError& error) {
    throw InputError({model.file}, error.what());
  }
}

}  // namespace dropmd
