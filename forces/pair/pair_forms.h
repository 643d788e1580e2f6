#pragma once

#include <tuple>

#include "forces/pair/born_mayer.h"
#include "forces/pair/coulomb_dsf.h"
#include "forces/pair/coulomb_even.h"
#include "forces/pair/coulomb_plain.h"
#include "forces/pair/coulomb_shift.h"
#include "forces/pair/lj_cut.h"
#include "forces/pair/lj_force_shift.h"
#include "forces/pair/lj_switch.h"

/// The pair potentials of this build. A new one takes a header and its name in one of these lists. Each form of the
/// first list is compiled with each of the second where speed matters; otherwise one instantiation serves all forms, as
/// for BornMayer (any_form.h).
namespace dropmd {

template <class Real>
using LjForms = std::tuple<LjCut<Real>, LjForceShift<Real>, LjSwitch<Real>>;

template <class Real>
using CoulombForms = std::tuple<CoulombPlain<Real>, CoulombShift<Real>, CoulombEven<Real>, CoulombDsf<Real>>;

}  // namespace dropmd
