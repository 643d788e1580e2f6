#pragma once

#include <tuple>
#include <type_traits>

#include "core/forms/form_list.h"
#include "forces/pair/coulomb_even.h"
#include "forces/pair/coulomb_plain.h"
#include "forces/pair/coulomb_shift.h"
#include "maps/map_model.h"

namespace dropmd {

/// The Coulomb forms of maps, which are those of pairs.
template <class Real>
using MapForms = std::tuple<CoulombPlain<Real>, CoulombShift<Real>, CoulombEven<Real>>;

/// Calls use(form, has_cutoff) with the model's form; has_cutoff is a std::bool_constant.
template <class Real, class Use>
void with_map_form(const MapModel& model, const Use& use) {
  with_form<MapForms<Real>>(model.coulomb, [&]<class Form>(std::type_identity<Form>) {
    const Form form(model.coulomb);
    if constexpr (Form::kAllowsNoCutoff)
      if (!model.coulomb.has("cutoff")) return use(form, std::false_type{});
    use(form, std::true_type{});
  });
}

}  // namespace dropmd
