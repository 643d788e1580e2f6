#pragma once

#include <tuple>

#include "core/forms/form_list.h"
#include "integrators/csvr.h"
#include "integrators/descent.h"
#include "integrators/fire.h"
#include "integrators/langevin.h"
#include "integrators/velocity_verlet.h"

namespace dropmd {

/// The integrators of this build; the first is the default. A new one takes a header and its name here.
using Integrators = std::tuple<VelocityVerlet, Langevin, Csvr, Descent, Fire>;

static_assert([]<class... X>(std::type_identity<std::tuple<X...>>) {
  return (Motion<X> && ...);
}(std::type_identity<Integrators>{}));

/// Calls `use(std::type_identity<X>{})` for the chosen integrator; throws std::invalid_argument if there is none.
template <class Use>
void with_integrator(const FormChoice& choice, const Use& use) {
  with_form<Integrators>(choice, use);
}

}  // namespace dropmd
