#pragma once

#include <string_view>
#include <type_traits>
#include <variant>

#include "core/forms/form_variant.h"
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
  AnyWall(const FormChoice& choice, const Units&) : wall_(form_variant<WallForms>(choice)) {}

  DROPMD_HOST_DEVICE bool acts() const { return !std::holds_alternative<std::monostate>(wall_); }
  DROPMD_HOST_DEVICE AtomTermValue operator()(const AtomPoint& atom) const {
    AtomTermValue value;
    visit_form(wall_, [&]<class Wall>(const Wall& wall) {
      if constexpr (!std::is_same_v<Wall, std::monostate>) value = wall(atom.position);
    });
    return value;
  }

 private:
  FormVariant<WallForms> wall_;
};

}  // namespace dropmd
