#include "integrators/integrator.h"

#include "core/form_list.h"
#include "integrators/descent.h"
#include "integrators/fire.h"
#include "integrators/velocity_verlet.h"

namespace dropmd {

/// The integrators of this build; the first is the default. A new one is a header and its name here.
using Integrators = std::tuple<VelocityVerlet, Descent, Fire>;

FormList integrator_forms() { return form_list<Integrators>(); }

std::unique_ptr<Integrator> make_integrator(const FormChoice& choice, const Units& units) {
  std::unique_ptr<Integrator> made;
  with_form<Integrators>(choice,
                         [&]<class Form>(std::type_identity<Form>) { made = std::make_unique<Form>(choice, units); });
  return made;
}

}  // namespace dropmd
