#pragma once

#include <optional>

#include "core/form_list.h"
#include "forces/fields/wall.h"

namespace dropmd {

/// A wall chosen at run time, for code that is compiled once for all of them: where it acts costs nothing compared with
/// the rest.
class AnyWall {
 public:
  AnyWall() = default;
  explicit AnyWall(const std::optional<FormChoice>& choice) {
    if (!choice) return;
    with_form<WallForms>(*choice, [&]<class Wall>(std::type_identity<Wall>) {
      const Wall wall(*choice);
      kind_ = std::is_same_v<Wall, HarmonicWall> ? Kind::harmonic : Kind::quartic;
      radius_ = wall.radius;
      stiffness_ = wall.stiffness;
    });
  }

  DROPMD_HOST_DEVICE WallTerm operator()(const Vec3<double>& x) const {
    if (kind_ == Kind::harmonic) return HarmonicWall(radius_, stiffness_)(x);
    if (kind_ == Kind::quartic) return QuarticWall(radius_, stiffness_)(x);
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
