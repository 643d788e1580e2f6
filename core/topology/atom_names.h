#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace dropmd {

/// Names of the atoms of molecules, which structure files have and no force needs. Vectors have an element for each
/// atom number, which is the id less 1.
struct AtomNames {
  std::vector<std::string> atom_name;        ///< name within the residue, such as "OW"
  std::vector<std::string> residue_name;     ///< such as "SOL"
  std::vector<std::int32_t> residue_number;  ///< as in the topology

  friend bool operator==(const AtomNames&, const AtomNames&) = default;
};

}  // namespace dropmd
