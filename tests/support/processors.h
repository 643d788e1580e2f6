#pragma once

#include <gtest/gtest.h>

#include <ostream>
#include <string>

#include "device/device_info.h"
#include "engine/jobs/compare.h"  // bounds_of
#include "tests/support/short_run.h"

/// Whole runs on both processors, as the parameter of their tests. The tolerance for the GPU follows from bounds_of(),
/// the bounds of docs/guarantees.md for forces and energies of either precision.
namespace dropmd {

enum class Processor { cpu, gpu_fp64, gpu_mixed };

inline const char* name_of(Processor processor) {
  switch (processor) {
    case Processor::cpu:
      return "cpu";
    case Processor::gpu_fp64:
      return "gpu_fp64";
    case Processor::gpu_mixed:
      return "gpu_mixed";
  }
  return "?";
}
inline void PrintTo(Processor processor, std::ostream* out) { *out << name_of(processor); }

/// Every processor, for INSTANTIATE_TEST_SUITE_P.
inline auto all_processors() { return testing::Values(Processor::cpu, Processor::gpu_fp64, Processor::gpu_mixed); }
inline std::string name_of_processor(const testing::TestParamInfo<Processor>& info) { return name_of(info.param); }

inline Precision precision_of(Processor processor) {
  return processor == Processor::gpu_mixed ? Precision::mixed : Precision::fp64;
}

/// threads and neighbor apply to the CPU; a GPU computes all pairs.
inline Method method_on(Processor processor, int threads = 1, NeighborMethod neighbor = NeighborMethod::all_pairs) {
  if (processor == Processor::cpu) return fp64_method(threads, neighbor);
  Method method = fp64_method(threads);
  method.backend = Backend::cuda;
  method.precision = precision_of(processor);
  return method;
}

/// Why the processor cannot be used on this machine; empty if it can.
inline std::string reason_to_skip(Processor processor) {
  return processor == Processor::cpu ? std::string{} : query_devices().reason;
}

/// With few atoms, all forces may nearly vanish while the rounding errors of a pair's terms do not. Errors of forces
/// are then relative to a tenth of the Lennard-Jones force at r = σ, 24 ε/σ (as in tests/forces/traversals_test.cpp), ε
/// = σ = 1.
inline constexpr double kContactForce = 2.4;

/// A force tolerance that a minimiser of a few Lennard-Jones atoms can reach: in mixed precision, above the worst error
/// of an atom's force, 3e-4 · 2.4 = 7e-4.
inline double reachable_force(Processor processor) { return processor == Processor::gpu_mixed ? 1e-3 : 1e-6; }

/// Skips, with the reason, what this machine cannot run.
class OnProcessors : public testing::TestWithParam<Processor> {
 protected:
  void SetUp() override {
    if (const std::string reason = reason_to_skip(GetParam()); !reason.empty()) GTEST_SKIP() << reason;
  }

  static bool on_cpu() { return GetParam() == Processor::cpu; }
  static bool is_mixed() { return GetParam() == Processor::gpu_mixed; }
  static Bounds bounds() { return bounds_of(precision_of(GetParam())); }
  static Method method(int threads = 1, NeighborMethod neighbor = NeighborMethod::all_pairs) {
    return method_on(GetParam(), threads, neighbor);
  }
};

}  // namespace dropmd
