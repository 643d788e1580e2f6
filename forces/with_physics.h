#pragma once

#include <cmath>
#include <type_traits>

#include "core/form_list.h"
#include "forces/pair_forms.h"
#include "forces/pair_model.h"
#include "forces/pair_physics.h"

/// From the run-time choice of pair forms to their compile-time types.
namespace dropmd {

/// Calls `use(physics)` with the PairPhysics of the model, coefficients of type Real. One instantiation for each pair
/// of forms, and one more for those that may have no cutoff at all.
template <class Real, class Use>
void with_physics(const PairModel& model, const Use& use) {
  const bool unlimited = (!model.lj || std::isinf(PairModel::cutoff_of(model.lj))) &&
                         (!model.coulomb || std::isinf(PairModel::cutoff_of(model.coulomb)));
  const auto apply = [&](const auto& lj, const auto& coulomb) {
    using Lj = std::decay_t<decltype(lj)>;
    using Coulomb = std::decay_t<decltype(coulomb)>;
    if constexpr (Lj::kAllowsNoCutoff && Coulomb::kAllowsNoCutoff) {
      if (unlimited) return use(PairPhysics<Lj, Coulomb, false>{lj, coulomb});
    }
    return use(PairPhysics<Lj, Coulomb, true>{lj, coulomb});
  };
  const auto with_coulomb = [&](const auto& lj) {
    if (!model.coulomb) return apply(lj, CoulombOff<Real>{});
    with_form<CoulombForms<Real>>(*model.coulomb,
                                  [&](auto tag) { apply(lj, typename decltype(tag)::type(*model.coulomb)); });
  };
  if (!model.lj) return with_coulomb(LjOff<Real>{});
  with_form<LjForms<Real>>(*model.lj, [&](auto tag) { with_coulomb(typename decltype(tag)::type(*model.lj)); });
}

}  // namespace dropmd
