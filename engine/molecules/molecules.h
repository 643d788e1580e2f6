#pragma once

#include <memory>
#include <string>
#include <vector>

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

/// Returns the molecules, constraints and virtual sites of a system with a topology in words, such as "topology
/// water.top: 1000 SOL, 10 NA; constraints: 1000 rigid waters of three sites".
std::string describe_molecules(const System& system);

/// Returns what messages call each atom, by number: "OW of SOL 4"; empty if the atoms have no names.
std::vector<std::string> names_for_messages(const MolecularModel& model);

}  // namespace dropmd
