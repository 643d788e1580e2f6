#pragma once

#include <cstddef>
#include <cstdint>

#include "core/macros.h"
#include "core/particles.h"
#include "core/vec3.h"

namespace dropmd {

/// The id of an atom (field::Id), looked up only where a term asks for it: on a GPU it is in memory that the steps
/// without such a term do not read.
class AtomId {
 public:
  explicit AtomId(std::uint32_t id) : id_(id) {}
  /// host_index: of the atom, in device memory. id: [n_atoms] by host index; null for atoms whose ids are 1 to n_atoms.
  DROPMD_HOST_DEVICE AtomId(const std::uint32_t* host_index, const std::uint32_t* id)
      : host_index_(host_index), id_of_(id) {}

  DROPMD_HOST_DEVICE std::uint32_t get() const {
    if (host_index_ == nullptr) return id_;
    return id_of_ != nullptr ? id_of_[*host_index_] : *host_index_ + 1;
  }

 private:
  std::uint32_t id_ = 0;
  const std::uint32_t* host_index_ = nullptr;
  const std::uint32_t* id_of_ = nullptr;
};

/// The arguments of a one-body term.
struct AtomPoint {
  Vec3<double> position;  ///< length
  const double* charge;   ///< read only by terms that need it
  double time;            ///< in the run's time unit; 0 in minimisations
  AtomId id;              ///< also read only by terms that need it
};

/// Returns the arguments for the atom with index i on the host, at a position.
inline AtomPoint atom_point(const Particles& particles, std::size_t i, const Vec3<double>& position, double time) {
  return {position, &particles.charge[i], time, AtomId(particles.id_of(i))};
}

/// The contribution of a one-body term.
struct AtomTermValue {
  double energy = 0;     ///< in the run's energy unit
  Vec3<double> force{};  ///< energy/length
};

}  // namespace dropmd
