#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "core/errors.h"

namespace dropmd {

/// The default name of the final structure of a run with a topology, whose format has the names of atoms.
inline constexpr const char* kFinalOfMolecules = "final.gro";

/// The bonds that become constraints, besides those that the topology constrains.
enum class BondConstraints { none, hydrogens };

/// [constraints] and the keys of [system] that choose the topology of molecules.
struct TopologySettings {
  /// Topology file; relative paths are joined to the folder of the run file. Empty: atoms without bonds.
  std::filesystem::path file;
  /// Where #include looks after the topology's folder, likewise joined to the folder of the run file.
  std::vector<std::filesystem::path> include;
  std::vector<std::string> define;      ///< for the topology's preprocessor: "NAME" or "NAME=VALUE"
  std::optional<double> hydrogen_mass;  ///< mass of hydrogens, at their neighbours' expense; nullopt: the topology's
  BondConstraints bonds = BondConstraints::none;
  SourcePlace place{};                ///< place of the key `topology`, for messages
  SourcePlace hydrogen_mass_place{};  ///< place of `hydrogen-mass`, likewise

  /// Whether there are molecules.
  bool given() const { return !file.empty(); }
};

}  // namespace dropmd
