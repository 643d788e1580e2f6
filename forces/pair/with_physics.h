#pragma once

#include <cmath>
#include <stdexcept>
#include <type_traits>

#include "core/forms/form_list.h"
#include "forces/pair/any_form.h"
#include "forces/pair/pair_forms.h"
#include "forces/pair/pair_model.h"
#include "forces/pair/pair_physics.h"

/// Selects the compile-time types of pair forms for a model that was chosen at run time.
namespace dropmd {

/// Returns the limits that the terms of a model need.
inline Limits limits_of(const PairModel& model) {
  if (model.born_mayer) return Limits::separate;  // Born-Mayer is compiled only for these limits
  const double lj = PairModel::cutoff_of(model.lj), coulomb = PairModel::cutoff_of(model.coulomb);
  if ((!model.lj || std::isinf(lj)) && (!model.coulomb || std::isinf(coulomb))) return Limits::none;
  return !model.lj || !model.coulomb || lj == coulomb ? Limits::shared : Limits::separate;
}

/// Whether a pair of forms can have such limits.
template <class Real, class Lj, class Coulomb, Limits kLimits>
inline constexpr bool kAllowsLimits =
    kLimits == Limits::none ? Lj::kAllowsNoCutoff&& Coulomb::kAllowsNoCutoff
                            : !std::is_same_v<Lj, LjOff<Real>> || !std::is_same_v<Coulomb, CoulombOff<Real>>;

/// Calls `use(physics)` with the PairPhysics of a model whose van der Waals term is Lennard-Jones or absent and whose
/// Coulomb form, if any, is in the list Coulombs, with coefficients of type Real. There is one instantiation for each
/// pair of forms and each of kLimits that the forms allow. kLimits must include the model's own limits, or `separate`,
/// which also serves `shared`. For kernels that are built for speed.
template <template <class> class Coulombs, class Real, Limits... kLimits, class Use>
void with_specialized_physics_of(const PairModel& model, const Use& use) {
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
    with_form<Coulombs<Real>>(*model.coulomb,
                              [&](auto tag) { apply(lj, typename decltype(tag)::type(*model.coulomb)); });
  };
  if (!model.lj) return with_coulomb(LjOff<Real>{});
  with_form<LjForms<Real>>(*model.lj, [&](auto tag) { with_coulomb(typename decltype(tag)::type(*model.lj)); });
}

/// The same with every Coulomb form.
template <class Real, Limits... kLimits, class Use>
void with_specialized_physics(const PairModel& model, const Use& use) {
  with_specialized_physics_of<CoulombForms, Real, kLimits...>(model, use);
}

/// The same with the Coulomb forms that users choose: for steps that never have a mesh.
template <class Real, Limits... kLimits, class Use>
void with_meshless_physics(const PairModel& model, const Use& use) {
  with_specialized_physics_of<UserCoulombForms, Real, kLimits...>(model, use);
}

/// Calls `use(physics)` for a Born-Mayer model with any Coulomb form.
template <class Real, class Use>
void with_born_mayer_physics(const PairModel& model, const Use& use) {
  use(PairPhysics<BornMayer<Real>, CoulombAny<Real>, Limits::separate>{BornMayer<Real>(*model.born_mayer),
                                                                       CoulombAny<Real>(model.coulomb)});
}

/// Calls `use(physics)` for any model, with only two instantiations, whose forms are chosen at run time. The results
/// are bitwise identical to those of the specialised physics. For kernels for checking, or where another method is
/// faster.
template <class Real, class Use>
void with_general_physics(const PairModel& model, const Use& use) {
  if (model.born_mayer) return with_born_mayer_physics<Real>(model, use);
  use(PairPhysics<LjAny<Real>, CoulombAny<Real>, Limits::separate>{LjAny<Real>(model.lj),
                                                                   CoulombAny<Real>(model.coulomb)});
}

/// Calls `use(physics)` for pairs within a cutoff: in single precision specialised for each pair of Lennard-Jones and
/// Coulomb forms, in double precision, which serves checking, general.
template <class Real, class Use>
void with_cut_physics(const PairModel& model, const Use& use) {
  if constexpr (std::is_same_v<Real, float>) {
    if (model.born_mayer) return with_born_mayer_physics<Real>(model, use);
    with_specialized_physics<Real, Limits::separate>(model, use);
  } else {
    with_general_physics<Real>(model, use);
  }
}

/// Calls `use(physics)` with physics that is specialised for untruncated models, with or without a cutoff of the
/// Lennard-Jones term, and general for all others: for traversals of all pairs, which pair lists outperform if every
/// term has a cutoff.
template <class Real, class Use>
void with_untruncated_physics(const PairModel& model, const Use& use) {
  if (limits_of(model) == Limits::none) return with_specialized_physics<Real, Limits::none>(model, use);
  if (!model.lj || !model.coulomb || !std::isinf(PairModel::cutoff_of(model.coulomb)))
    return with_general_physics<Real>(model, use);
  with_form<LjForms<Real>>(*model.lj, [&](auto tag) {
    using Lj = typename decltype(tag)::type;
    use(PairPhysics<Lj, CoulombUntruncated<Real>, Limits::separate>{Lj(*model.lj), {}});
  });
}

/// Calls `use(physics)` for models with only a Lennard-Jones term, whose cutoff is the only limit.
template <class Real, class Use>
void with_lj_physics(const PairModel& model, const Use& use) {
  with_form<LjForms<Real>>(*model.lj, [&](auto tag) {
    using Lj = typename decltype(tag)::type;
    use(PairPhysics<Lj, CoulombOff<Real>, Limits::shared>{Lj(*model.lj), {}});
  });
}

}  // namespace dropmd
