#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "core/timings.h"
#include "engine/force_errors.h"
#include "engine/force_field.h"
#include "engine/observer.h"

namespace dropmd {

/// Measures the error of a run's mesh, at its start and at intervals: the forces of a sample of atoms against direct
/// sums of all pairs in fp64. What rounding adds is far below the accuracy of a mesh.
class MeshErrorObserver final : public Observer {
 public:
  static constexpr std::int64_t kEvery = 10'000;  ///< steps between measurements, or a few more
  static constexpr std::size_t kAtoms = 1024;     ///< evenly by index; all if there are fewer

  using Say = std::function<void(std::int64_t step, const std::string& text)>;

  /// system: with a mesh; it and timings must outlive this. say: receives the results in words.
  MeshErrorObserver(const System& system, const Method& method, Timings& timings, Say say);

  std::int64_t every() const override { return system_.outer.from(kEvery); }
  bool wants_state(std::int64_t step) const override { return step % every() == 0; }
  bool wants_energies(std::int64_t) const override { return false; }
  void observe(const Snapshot& s) override;
  void population_changed() override { terms_ = ForceField(system_, exact_method(method_.cpu)); }

 private:
  const System& system_;
  Method method_;
  ForceField terms_;
  Timings& timings_;
  Say say_;
};

}  // namespace dropmd
