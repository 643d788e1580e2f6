#pragma once

#include <string_view>

#include "core/form_list.h"
#include "core/units.h"
#include "forces/fields/atom_point.h"
#include "forces/fields/wall.h"
#include "forces/force_term.h"

namespace dropmd {

/// A wall chosen at run time, for code that is compiled once for all forms, since its choice costs nothing compared
/// with the rest. It is a term of one atom (forces/fields/atom_terms.h).
class AnyWall {
 public:
  static constexpr std::string_view kSection = "wall";
  static constexpr std::string_view kEnergy = "wall";
  static constexpr bool kAlwaysListed = true;
  static constexpr Invariance kInvariance{.translation = false, .rotation = true};
  static FormList forms() { return form_list<WallForms>(); }

  AnyWall() = default;
  AnyWall(const FormChoice& choice, const Units&) {
    with_form<WallForms>(choice, [&]<class Wall>(std::type_identity<Wall>) {
      const Wall wall(choice);
      kind_ = std::is_same_v<Wall, HarmonicWall> ? Kind::harmonic : Kind::quartic;
      radius_ = wall.radius;
      stiffness_ = wall.stiffness;
    });
  }

  DROPMD_HOST_DEVICE bool acts() const { return kind_ != Kind::none; }
  DROPMD_HOST_DEVICE AtomTermValue operator()(const AtomPoint& atom) const {
    if (kind_ == Kind::harmonic) return HarmonicWall(radius_, stiffness_)(atom.position);
    if (kind_ == Kind::quartic) return QuarticWall(radius_, stiffness_)(atom.position);
    return {};
  }

 private:
  enum class Kind { none, harmonic, quartic };
  static_assert(std::tuple_size_v<WallForms> == 2, "a new wall needs its line above");

  Kind kind_ = Kind::none;
  double radius_ = 0;
  double stiffness_ = 0;
};

}  // namespace dropmd
