#pragma once

namespace dropmd {

enum class Want { forces, forces_and_energies };

}  // namespace dropmd
