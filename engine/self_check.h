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

/// What the checks of a run's forces found. Errors are those of ForceErrors.
struct SelfCheckSummary {
  /// The largest error of all checks, and where it was.
  struct Largest {
    double error = 0;
    double bound = 0;
    std::int64_t step = 0;
    std::uint64_t atom = 0;  ///< id of the worst one of that check; 0 without atoms
  };

  std::int64_t every = 0;   ///< steps
  std::int64_t checks = 0;  ///< so far
  std::uint64_t atoms = 0;  ///< in one check
  Largest rms, worst;
  std::string violation;  ///< the first error beyond its bound, in words; empty: none

  bool ok() const { return violation.empty(); }
  /// Throws an Error of status 1 with the violation, if there was one.
  void require_ok() const {
    if (!ok()) throw Error(ExitStatus::out_of_tolerance, violation);
  }
};

/// Holds the forces of a run, of all its terms, against their references in fp64 (ForceTerm::add_reference): those on a
/// random sample of atoms, which is the same on every processor (Philox, keyed by seed and step).
///
/// Errors are relative to the RMS force of the sample. Where forces nearly cancel, as in the minimum of a minimiser,
/// the rounding of their terms does not: the scale is at least a tenth of the terms' (AtomSums::terms2).
class SelfCheck {
 public:
  static constexpr std::uint32_t kAtoms = 100;  ///< of a check; all where there are fewer

  /// system outlives the check.
  SelfCheck(const System& system, const Method& method, std::uint64_t seed, std::int64_t every);

  void check(const Snapshot& snapshot);
  /// The system has other atoms.
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
