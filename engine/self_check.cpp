#include "engine/self_check.h"

#include <fmt/core.h>

#include <vector>

#include "core/random_sample.h"
#include "engine/molecules/site_forces.h"

namespace dropmd {

SelfCheck::SelfCheck(const System& system, const Method& method, std::uint64_t seed, std::int64_t every)
    : system_(system), method_(method), terms_(system, exact_method(method.cpu)), seed_(seed) {
  const Bounds bounds = bounds_of(method.precision);
  summary_.every = every;
  summary_.rms.bound = bounds.rms_force;
  summary_.worst.bound = bounds.worst_force;
}

void SelfCheck::check(const Snapshot& s) {
  const auto n = static_cast<std::uint32_t>(system_.particles.size());
  const auto sample = random_sample({seed_, RandomPurpose::self_check}, static_cast<std::uint64_t>(s.step), n, kAtoms);
  const auto exact = spread_reference(terms_, system_, {s.particles.position, s.time}, sample);
  const ForceErrors errors = force_errors(s.force, sample, exact, method_.precision, scale_of_terms(exact));
  const Bounds bounds = bounds_of(system_, method_.precision, errors.scale);
  summary_.rms.bound = bounds.rms_force;
  summary_.worst.bound = bounds.worst_force;
  ++summary_.checks;
  summary_.atoms = sample.size();
  const std::uint64_t atom = sample.empty() ? 0 : system_.particles.id_of(errors.worst_atom);
  const auto note = [&](SelfCheckSummary::Largest& largest, double error) {
    if (error <= largest.error && summary_.checks > 1) return;
    largest = {error, largest.bound, s.step, atom};
  };
  note(summary_.rms, errors.rms);
  note(summary_.worst, errors.worst);
  const auto broken = [&](const std::string& what, double error, double bound) {
    return fmt::format(
        "step {}, time {:g} {}: self-check: {} by {:.2g} of the RMS force, more than {:g} (run with {}, and please "
        "report it: {} precision should keep this bound)",
        s.step, s.time, system_.units.time, what, error, bound,
        method_.precision == Precision::mixed ? "--precision double" : "--neighbor all-pairs --backend cpu",
        word_of(method_.precision));
  };
  if (!summary_.ok()) return;
  if (!(errors.worst <= summary_.worst.bound))
    summary_.violation = broken(fmt::format("the force on atom {} is off", atom), errors.worst, summary_.worst.bound);
  else if (!(errors.rms <= summary_.rms.bound))
    summary_.violation = broken(
        fmt::format("the forces on {} atoms, most of all that on atom {}, are off on average", sample.size(), atom),
        errors.rms, summary_.rms.bound);
}

}  // namespace dropmd
