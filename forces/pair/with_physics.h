#pragma once

#include <cmath>
#include <stdexcept>
#include <type_traits>

#include "core/form_list.h"
#include "forces/pair/coulomb_any.h"
#include "forces/pair/pair_forms.h"
#include "forces/pair/pair_model.h"
#include "forces/pair/pair_physics.h"

/// From the run-time choice of pair forms to their compile-time types.
namespace dropmd {

/// What the terms of a model need.
inline Limits limits_of(const PairModel& model) {
  if (model.born_mayer) return Limits::separate;  // the only ones that it is compiled for
  const double lj = PairModel::cutoff_of(model.lj), coulomb = PairModel::cutoff_of(model.coulomb);
  if ((!model.lj || std::isinf(lj)) && (!model.coulomb || std::isinf(coulomb))) return Limits::none;
  return !model.lj || !model.coulomb || lj == coulomb ? Limits::shared : Limits::separate;
}

/// Whether a pair of forms can have such limits.
template <class Real, class Lj, class Coulomb, Limits kLimits>
inline constexpr bool kAllowsLimits =
    kLimits == Limits::none ? Lj::kAllowsNoCutoff&& Coulomb::kAllowsNoCutoff
                            : !std::is_same_v<Lj, LjOff<Real>> || !std::is_same_v<Coulomb, CoulombOff<Real>>;

/// Calls `use(physics)` with the PairPhysics of a model whose van der Waals term is Lennard-Jones or none, coefficients
/// of type Real. One instantiation for each pair of forms and each of kLimits that they allow; the model's own limits
/// are among kLimits, or `separate` is, which serves `shared` too. For kernels that are made for speed alone.
template <class Real, Limits... kLimits, class Use>
void with_lj_and_coulomb_physics(const PairModel& model, const Use& use) {
  if (model.born_mayer) throw std::logic_error("no Born-Mayer physics is compiled here");
  const Limits wanted = limits_of(model);
  const auto apply = [&](const auto& lj, const auto& coulomb) {
    using Lj = std::decay_t<decltype(lj)>;
    using Coulomb = std::decay_t<decltype(coulomb)>;
    bool used = false;
    const auto try_limits = [&]<Limits kThis>() {
      const bool serves = kThis == wanted || (kThis == Limits::separate && wanted == Limits::shared);
      if constexpr (kAllowsLimits<Real, Lj, Coulomb, kThis>) {
        if (used || !serves) return;
        used = true;
        use(PairPhysics<Lj, Coulomb, kThis>{lj, coulomb});
      }
    };
    (try_limits.template operator()<kLimits>(), ...);
    if (!used) throw std::logic_error("no pair physics of this build has these cutoffs");
  };
  const auto with_coulomb = [&](const auto& lj) {
    if (!model.coulomb) return apply(lj, CoulombOff<Real>{});
    with_form<CoulombForms<Real>>(*model.coulomb,
                                  [&](auto tag) { apply(lj, typename decltype(tag)::type(*model.coulomb)); });
  };
  if (!model.lj) return with_coulomb(LjOff<Real>{});
  with_form<LjForms<Real>>(*model.lj, [&](auto tag) { with_coulomb(typename decltype(tag)::type(*model.lj)); });
}

/// The same for any model; Born-Mayer has one instantiation, where `separate` is among kLimits.
template <class Real, Limits... kLimits, class Use>
void with_physics(const PairModel& model, const Use& use) {
  if constexpr (((kLimits == Limits::separate) || ...))
    if (model.born_mayer)
      return use(PairPhysics<BornMayer<Real>, CoulombAny<Real>, Limits::separate>{BornMayer<Real>(*model.born_mayer),
                                                                                  CoulombAny<Real>(model.coulomb)});
  with_lj_and_coulomb_physics<Real, kLimits...>(model, use);
}

/// The same for models of a Lennard-Jones term alone, whose cutoff is the only limit.
template <class Real, class Use>
void with_lj_physics(const PairModel& model, const Use& use) {
  with_form<LjForms<Real>>(*model.lj, [&](auto tag) {
    using Lj = typename decltype(tag)::type;
    use(PairPhysics<Lj, CoulombOff<Real>, Limits::shared>{Lj(*model.lj), {}});
  });
}

}  // namespace dropmd
