#pragma once

#include <optional>
#include <string>

#include "core/execution.h"
#include "core/run/choices.h"
#include "engine/model/coulomb_mesh.h"
#include "engine/model/system.h"
#include "forces/mesh/mesh_term.h"

namespace dropmd {

/// How the untruncated Coulomb term of a run is computed: directly, or divided between pairs and a mesh.
struct CoulombDivision {
  std::optional<CoulombMesh> mesh{};  ///< nullopt: directly
  /// Estimated times per step of the Coulomb pairs summed directly and of the divided term, µs; 0: not needed.
  double direct_time = 0, mesh_time = 0;
};

/// The finest accuracy that a mesh in mixed precision serves.
inline constexpr double kFinestMixedAccuracy = 1e-5;

/// Returns whether the Coulomb term of a system is untruncated and undivided.
bool is_untruncated(const System& system);

/// Returns whether any atom has a charge.
bool has_charges(const System& system);

/// Chooses the division for the settings of a run and its atoms at the start: the one that the method names or, for
/// `auto` with an accuracy, the cheaper one. backend: of the run, not `automatic`. Throws InputError if a mesh is named
/// and the model does not allow it.
CoulombDivision choose_division(const RunConfig& config, const System& system, Backend backend);

/// Returns the division by a mesh for a system whose Coulomb term is undivided, whatever method the settings name;
/// nullopt if the model allows no mesh, if it has no charges, or if no mesh has the accuracy.
std::optional<CoulombDivision> possible_division(const RunConfig& config, const System& system, Backend backend);

/// Returns the number of atoms from which a mesh is estimated to be faster than direct sums, for droplets like that of
/// the system; nullopt if possible_division() is nullopt.
std::optional<double> mesh_crossover(const RunConfig& config, const System& system, Backend backend);

/// Returns the cheapest mesh with the cutoff of `mesh` whose error is within its accuracy, if its error is as much
/// below its estimate as that of `mesh` is. measured: the error of `mesh`, relative to the RMS Coulomb force; system:
/// of which it is the mesh. nullopt if the gain is small, or if the settings name the spacing.
std::optional<CoulombMesh> coarser_mesh(const CoulombMesh& mesh, double measured, const System& system, Cpu cpu,
                                        Backend backend);

/// Divides the Coulomb term of a system: its pairs get the short-range form and a mesh is added to its terms.
void divide_coulomb(System& system, const MeshParameters& mesh, Backend backend, Precision precision);

/// Returns the system with its Coulomb term in one piece, without a mesh.
System undivided(const System& system);

/// Returns the system with its untruncated Coulomb term divided by this mesh, whatever mesh it had.
System with_mesh(const System& system, const CoulombMesh& mesh, Backend backend, Precision precision);

/// Returns the term of a system's mesh; null if it has none.
const MeshTerm* mesh_term_of(const System& system);

/// Returns a hint for a run that sums directly though nobody asked for it, if a mesh would make it at least twice as
/// fast.
std::optional<std::string> mesh_hint(const RunConfig& config, const System& system, Backend backend);

/// Returns a mesh in words: cutoff, spacing, order, its estimated error, and how often it is computed.
std::string describe(const CoulombMesh& mesh, const Units& units, const OuterSteps& outer = {});

/// Returns the mesh of a system in words, including its points, bandwidth and memory.
std::string describe_mesh(const System& system, Backend backend);

}  // namespace dropmd
