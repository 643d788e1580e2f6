#pragma once

#include <concepts>
#include <cstddef>
#include <string_view>
#include <vector>

#include "core/forms/form.h"
#include "core/macros.h"
#include "core/units.h"
#include "forces/fields/any_wall.h"
#include "forces/fields/atom_point.h"
#include "forces/fields/uniform_field.h"

/// One-body terms - walls, external fields - composed into one function, which a step evaluates while it has the atom's
/// data at hand. One source serves every processor.
namespace dropmd {

/// A one-body term is trivially copyable and has
///
///   kSection        its section of the run file; forms() lists what may be chosen there
///   kEnergy         the name of its energy; kAlwaysListed: a column even in a run without this term
///   kInvariance     the motions of all atoms that leave its energy unchanged (core/run/invariance.h)
///   a default constructor for a term that does not act, and one from a FormChoice and the units for one that acts
///   acts()          whether the run has the term
///   operator()      energy and force on one atom
///
/// A term whose energy depends explicitly on time also has
///
///   driven()            whether the energy of this instance does
///   energy_change()     of an atom at a fixed position, from its time to another
template <class Term>
concept DrivenTerm = requires(const Term& term, const AtomPoint& atom, double until) {
  { term.driven() } -> std::same_as<bool>;
  { term.energy_change(atom, until) } -> std::same_as<double>;
};

/// Several one-body terms as one function.
template <class First, class... Others>
class AtomTermList : First, Others... {
 public:
  static constexpr std::size_t kCount = 1 + sizeof...(Others);

  /// No term acts.
  AtomTermList() = default;
  /// The terms that were chosen, by section, act.
  AtomTermList(const FormChoices& chosen, const Units& units)
      : First(made<First>(chosen, units)),
        Others(made<Others>(chosen, units))...,
        any_acts_(First::acts() || (Others::acts() || ...)) {}

  /// Returns whether a run has any of the terms.
  DROPMD_HOST_DEVICE bool acts() const { return any_acts_; }
  /// Returns the force of all terms on one atom, summed in the order of the list.
  DROPMD_HOST_DEVICE Vec3<double> force(const AtomPoint& atom) const {
    if (!any_acts_) return {};
    Vec3<double> sum = First::operator()(atom).force;
    (add_force<Others>(atom, sum), ...);
    return sum;
  }
  /// Adds the energy of each term to energy[kCount].
  DROPMD_HOST_DEVICE void add_energies(const AtomPoint& atom, double* energy) const {
    *energy += First::operator()(atom).energy;
    (add_energy<Others>(atom, ++energy), ...);
  }

  /// Returns the energy of an atom at one point less its energy at another, at the same time.
  DROPMD_HOST_DEVICE double energy_change(const AtomPoint& from, const AtomPoint& to) const {
    double sum = First::operator()(to).energy - First::operator()(from).energy;
    (add_energy_change<Others>(from, to, sum), ...);
    return sum;
  }

  /// Returns whether an energy depends explicitly on time, so that the term does work on the atoms.
  DROPMD_HOST_DEVICE bool driven() const { return is_driven<First>() || (is_driven<Others>() || ...); }
  /// Returns the energy that this adds while an atom moves from one point to the next, ∫ ∂U/∂t dt: half of the change
  /// of energy with the atom where it was, and half of the change with the atom where it arrives. With this trapezoidal
  /// rule the total energy less the energy received has only the error of the integrator.
  DROPMD_HOST_DEVICE double driven_work(const AtomPoint& from, const AtomPoint& to) const {
    const AtomPoint early{to.position, from.charge, from.time, from.id};
    double sum = 0;
    add_driven_work<First>(from, early, to.time, sum);
    (add_driven_work<Others>(from, early, to.time, sum), ...);
    return sum;
  }

  /// Calls use(term, index) for each term.
  template <class Use>
  void for_each(const Use& use) const {
    std::size_t k = 0;
    use(static_cast<const First&>(*this), k);
    (use(static_cast<const Others&>(*this), ++k), ...);
  }

  /// Returns what may be chosen, by section of the run file.
  static std::vector<FormSection> sections() {
    return {{First::kSection, First::forms()}, {Others::kSection, Others::forms()}...};
  }

 private:
  template <class Term>
  static Term made(const FormChoices& chosen, const Units& units) {
    const auto found = chosen.find(Term::kSection);
    return found == chosen.end() ? Term() : Term(found->second, units);
  }
  template <class Term>
  DROPMD_HOST_DEVICE void add_force(const AtomPoint& atom, Vec3<double>& sum) const {
    if (Term::acts()) sum += Term::operator()(atom).force;
  }
  template <class Term>
  DROPMD_HOST_DEVICE void add_energy(const AtomPoint& atom, double* energy) const {
    if (Term::acts()) *energy += Term::operator()(atom).energy;
  }
  template <class Term>
  DROPMD_HOST_DEVICE void add_energy_change(const AtomPoint& from, const AtomPoint& to, double& sum) const {
    if (Term::acts()) sum += Term::operator()(to).energy - Term::operator()(from).energy;
  }
  template <class Term>
  DROPMD_HOST_DEVICE bool is_driven() const {
    if constexpr (DrivenTerm<Term>) return Term::driven();
    return false;
  }
  template <class Term>
  DROPMD_HOST_DEVICE void add_driven_work(const AtomPoint& a, const AtomPoint& b, double until, double& sum) const {
    if constexpr (DrivenTerm<Term>)
      if (Term::driven()) sum += 0.5 * (Term::energy_change(a, until) + Term::energy_change(b, until));
  }

  bool any_acts_ = false;  ///< most runs have no such term, and need only one test
};

/// The one-body terms of this build, in the order in which they are added. A new term needs a header and its name here.
using AtomTerms = AtomTermList<AnyWall, UniformField>;

}  // namespace dropmd
