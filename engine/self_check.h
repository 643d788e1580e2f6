#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "core/errors.h"
#include "engine/force_errors.h"
#include "engine/force_field.h"
#include "engine/model/system.h"
#include "engine/observer.h"

namespace dropmd {

/// The results of the checks of a run's forces; errors are those of ForceErrors.
struct SelfCheckSummary {
  /// The largest error of all checks, and where it occurred.
  struct Largest {
    double error = 0;
    double bound = 0;
    std::int64_t step = 0;
    std::uint64_t atom = 0;  ///< id of the worst atom of that check; 0 without atoms
  };

  std::int64_t every = 0;   ///< steps between checks
  std::int64_t checks = 0;  ///< number of checks so far
  std::uint64_t atoms = 0;  ///< atoms per check
  Largest rms, worst;
  std::string violation;  ///< the first error beyond its bound, in words; empty: none

  bool ok() const { return violation.empty(); }
  /// Throws an Error of status 1 with the violation if there was one.
  void require_ok() const {
    if (!ok()) throw Error(ExitStatus::out_of_tolerance, violation);
  }
};

/// Compares the forces of a run, of all its terms, with their references in fp64 (ForceTerm::add_reference), for a
/// random sample of atoms that is the same on every processor (Philox, keyed by seed and step).
///
/// Errors are relative to the RMS force of the sample. If forces nearly cancel, as at a minimum, the rounding of their
/// terms does not: the scale is at least a tenth of that of the terms (AtomSums::terms2).
class SelfCheck {
 public:
  static constexpr std::uint32_t kAtoms = 100;  ///< per check; all if there are fewer

  /// system must outlive the check.
  SelfCheck(const System& system, const Method& method, std::uint64_t seed, std::int64_t every);

  void check(const Snapshot& snapshot);
  /// To be called when the system gets other atoms.
  void renew() { terms_ = ForceField(system_, exact_method(method_.cpu)); }
  const SelfCheckSummary& summary() const { return summary_; }

 private:
  const System& system_;
  Method method_;
  ForceField terms_;
  std::uint64_t seed_;
  SelfCheckSummary summary_;
};

}  // namespace dropmd
