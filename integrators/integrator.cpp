#include "integrators/integrator.h"

#include "integrators/cpu_integrator.h"
#include "integrators/integrator_forms.h"

namespace dropmd {

FormList integrator_forms() { return form_list<Integrators>(); }

bool keeps_momentum(const FormChoice& choice) {
  bool keeps = true;
  with_integrator(choice, [&]<class X>(std::type_identity<X>) { keeps = X::kKeepsMomentum; });
  return keeps;
}

bool is_bath(const FormChoice& choice) {
  bool is = false;
  with_integrator(choice, [&]<class X>(std::type_identity<X>) { is = X::kBath; });
  return is;
}

bool is_minimizer(const FormChoice& choice) {
  bool is = false;
  with_integrator(choice, [&]<class X>(std::type_identity<X>) { is = X::kMinimizer; });
  return is;
}

bool allows_slow_forces(const FormChoice& choice) {
  bool allows = false;
  with_integrator(choice, [&]<class X>(std::type_identity<X>) { allows = X::kAllowsSlowForces; });
  return allows;
}

std::unique_ptr<Integrator> make_integrator(const FormChoice& choice, const Units& units, const RunContext& run) {
  std::unique_ptr<Integrator> made;
  with_integrator(choice, [&]<class X>(std::type_identity<X>) {
    made = std::make_unique<CpuIntegrator<X>>(X(choice, units, run));
  });
  return made;
}

}  // namespace dropmd
