#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/particle_fields.h"
#include "core/run/map_state.h"
#include "core/run/run_state.h"
#include "core/topology/molecular_model.h"

namespace dropmd {

/// The part of an output file that belongs to the steps up to a checkpoint.
struct FileMark {
  std::uint64_t bytes = 0;  ///< length of that part
  std::uint32_t crc = 0;    ///< CRC-32 of these bytes, as in zlib

  friend bool operator==(const FileMark&, const FileMark&) = default;
};

/// The mark of one output file.
struct OutputMark {
  std::string name;  ///< file name in the output folder
  FileMark mark{};
};

/// Everything that a run needs to continue; nothing else is read. The base class has the fields that steps do not
/// change.
struct Checkpoint : FieldVectors<IsConstant> {
  std::string run_file;                      ///< the resolved run file, TOML
  std::string title;                         ///< title of the run
  std::optional<double> radius{};            ///< radius of the droplet, length
  std::vector<std::string> species_names{};  ///< Particles::species_names
  /// Names, types and topology of molecules, as the run uses them; null: every atom is by itself.
  std::shared_ptr<const MolecularModel> molecules{};
  RunState state{};  ///< state of the atoms and the integrator
  /// The mesh of an untruncated Coulomb term (CoulombMesh::numbers()); empty: there is none.
  std::vector<double> coulomb_mesh{};
  std::vector<MethodChoice> choices{};             ///< the choices so far of a run that chooses its methods
  std::vector<MethodChoice> replayed{};            ///< all choices that a run follows when it replays another
  std::vector<ChoiceComment> replayed_comments{};  ///< comments of the replayed run on its choices
  /// Steps, ascending, of the actions that will still change the population; only the program that defined them can
  /// provide them again. nullopt: the run has no actions, or the file is of a version that did not store them.
  std::optional<std::vector<std::int64_t>> population_actions{};
  /// Potential maps so far; from the first map of a run that computes maps.
  std::optional<MapState> map{};
  std::vector<OutputMark> outputs{};  ///< lengths of the output files at this step
};

}  // namespace dropmd
