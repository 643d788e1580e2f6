#pragma once

#include <cstdint>
#include <span>

#include "core/vec3.h"
#include "device/buffer.cuh"
#include "device/cuda.cuh"
#include "device/pinned.cuh"
#include "neighbor/displacement_check.h"

namespace dropmd {

/// The memory that every neighbour structure on a GPU has: the positions for which it was built, and its state, a
/// struct that begins with a SearchState.
template <class State>
class SearchMemory {
 public:
  SearchMemory(const Stream& stream, std::uint32_t n_atoms)
      : d_reference_(stream), d_saved_reference_(stream), d_state_(stream) {
    d_reference_.resize(n_atoms);
    mark_never_built();
  }

  /// Device memory in bytes: the reference positions, the saved ones and the state.
  static std::uint64_t bytes(std::uint64_t n_atoms) { return 2 * sizeof(Vec3<double>) * n_atoms + sizeof(State); }

  Vec3<double>* reference() const { return d_reference_.data(); }
  State* state() const { return d_state_.data(); }

  /// Starts a copy of the state to the host, in stream order.
  void start_reading() const { d_state_.store(h_state_); }
  /// The state that the last start_reading() copied; valid after a wait.
  const State& what_was_read() const { return *h_state_; }

  /// Marks the structure as stale, so that the next build builds it.
  void mark_never_built() {
    State state{};
    state.stale_at = 1;
    write(state);
  }
  /// Marks the structure as stale after a reallocation, so that the next build rebuilds it for the same step.
  void mark_reallocated() {
    State state = what_was_read();
    state.stale_at = ~state.built_at;  // no step has this number
    state.full = 0;
    write(state);
    ++times_reallocated_;
  }
  /// Number of reallocations, each of which invalidates captured graphs.
  std::uint32_t times_reallocated() const { return times_reallocated_; }

  /// Saves the reference positions; take_back() restores them.
  void save(const Cuda& cuda) {
    d_saved_reference_.resize(d_reference_.size());
    copy(cuda, d_saved_reference_, d_reference_);
  }
  /// Sets the positions that take_back() restores, instead of save().
  void set_saved(std::span<const Vec3<double>> positions) { d_saved_reference_.upload(positions); }
  void take_back(const Cuda& cuda) { copy(cuda, d_reference_, d_saved_reference_); }

  /// Builds at once and waits. build(keep): enqueues a build, for the positions in `reference` if `keep` is set;
  /// reallocate(): reallocates if the capacity was too small, and returns whether it did.
  template <class Build, class Reallocate>
  void build_at_once(const Cuda& cuda, bool keep_reference, const Build& build, const Reallocate& reallocate) {
    do {
      mark_never_built();
      build(keep_reference);
      start_reading();
      cuda.stream.synchronize("looking for neighbours");
      keep_reference = true;
    } while (reallocate());
  }

 private:
  void write(const State& state) { d_state_.upload({&state, 1}); }
  void copy(const Cuda& cuda, const DeviceBuffer<Vec3<double>>& to, const DeviceBuffer<Vec3<double>>& from) const {
    DROPMD_CUDA(cudaMemcpyAsync(to.data(), from.data(), from.size() * sizeof(Vec3<double>), cudaMemcpyDeviceToDevice,
                                cuda.get()),
                "copying the positions of a search");
  }

  DeviceBuffer<Vec3<double>> d_reference_, d_saved_reference_;
  DeviceBuffer<State> d_state_;
  Pinned<State> h_state_;
  std::uint32_t times_reallocated_ = 0;
};

}  // namespace dropmd
