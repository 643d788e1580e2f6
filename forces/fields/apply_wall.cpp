#include "forces/fields/apply_wall.h"

#include "core/form_list.h"
#include "core/ordered_sum.h"
#include "forces/fields/wall.h"

namespace dropmd {

FormList wall_forms() { return form_list<WallForms>(); }

double apply_wall(Cpu cpu, const std::optional<FormChoice>& wall, std::span<const Vec3<double>> position,
                  std::span<Vec3<double>> force) {
  if (!wall) return 0;
  double energy = 0;
  with_form<WallForms>(*wall, [&]<class Wall>(std::type_identity<Wall>) {
    const Wall form(*wall);
    energy = ordered_sum<double>(cpu, position.size(), [&](std::size_t i) {
      const WallTerm term = form(position[i]);
      force[i] += term.force;
      return term.energy;
    });
  });
  return energy;
}

}  // namespace dropmd
