#pragma once

namespace dropmd {

/// What an evaluation computes.
enum class Want { forces, forces_and_energies };

}  // namespace dropmd
