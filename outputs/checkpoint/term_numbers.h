#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "core/topology/topology.h"

/// The parameters of bonded terms, constraints and virtual sites as plain numbers, for files. Each kind is described
/// once, for writing and reading: for_each_number(term, use) calls use(number) for each of them in a fixed order.
namespace dropmd {

template <class Use>
void for_each_number(auto& term, const Use& use) requires requires {
  term.k, term.length;
}
{ use(term.k), use(term.length); }
template <class Use>
void for_each_number(auto& term, const Use& use) requires requires {
  term.k, term.angle;
}
{ use(term.k), use(term.angle); }
template <class Use>
void for_each_number(auto& term, const Use& use) requires requires {
  term.multiplicity;
}
{ use(term.k), use(term.phase), use(term.multiplicity); }
template <class Use>
void for_each_number(auto& term, const Use& use) requires requires {
  term.c;
}
{
  for (auto& c : term.c) use(c);
}
template <class Use>
void for_each_number(auto& term, const Use& use) requires requires {
  term.grid;
}
{ use(term.grid); }
template <class Use>
void for_each_number(auto& term, const Use& use) requires requires {
  term.charges;
}
{ use(term.lj.epsilon), use(term.lj.sigma), use(term.lj.attracts), use(term.charges); }
template <class Use>
void for_each_number(auto& term, const Use& use) requires requires {
  term.reference;
}
{
  use(term.k.x), use(term.k.y), use(term.k.z);
  use(term.reference.x), use(term.reference.y), use(term.reference.z);
}
template <class Use>
void for_each_number(auto& term, const Use& use) requires(
    requires { term.length; } && !requires { term.k; }) {
  use(term.length);
}

/// Names of the kinds of bonded terms, in the order of BondedTerms.
inline constexpr std::array<std::string_view, 9> kTermNames{
    "bonds",     "angles", "urey_bradley", "periodic_dihedrals", "ryckaert_bellemans",
    "impropers", "cmap",   "pairs",        "position_restraints"};
static_assert(kTermNames.size() == std::tuple_size_v<BondedTerms>);

}  // namespace dropmd
