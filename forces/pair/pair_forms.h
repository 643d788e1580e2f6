#pragma once

#include <tuple>
#include <utility>

#include "forces/pair/born_mayer.h"
#include "forces/pair/coulomb_dsf.h"
#include "forces/pair/coulomb_even.h"
#include "forces/pair/coulomb_plain.h"
#include "forces/pair/coulomb_shift.h"
#include "forces/pair/coulomb_short_range.h"
#include "forces/pair/lj_cut.h"
#include "forces/pair/lj_force_shift.h"
#include "forces/pair/lj_switch.h"

/// The pair potentials of this build. A new one needs a header and its name in one of these lists. Each form of the
/// first list is compiled with each of the second where speed matters; otherwise one instantiation serves all forms, as
/// for BornMayer (any_form.h).
namespace dropmd {

/// The Lennard-Jones forms for which traversals are compiled.
template <class Real>
using LjForms = std::tuple<LjCut<Real>, LjForceShift<Real>, LjSwitch<Real>>;

/// The Coulomb forms that users choose.
template <class Real>
using UserCoulombForms = std::tuple<CoulombPlain<Real>, CoulombShift<Real>, CoulombEven<Real>, CoulombDsf<Real>>;

/// The Coulomb forms for which traversals are compiled: those, and the one that belongs to a mesh.
template <class Real>
using CoulombForms = decltype(std::tuple_cat(std::declval<UserCoulombForms<Real>>(),
                                             std::declval<std::tuple<CoulombShortRange<Real>>>()));

}  // namespace dropmd
