#pragma once

#include <optional>
#include <span>

#include "core/execution.h"
#include "core/form.h"
#include "core/vec3.h"

namespace dropmd {

FormList wall_forms();

/// Adds the wall's forces to `force` ([n_atoms][3]) and returns its energy; 0 without a wall.
double apply_wall(Cpu cpu, const std::optional<FormChoice>& wall, std::span<const Vec3<double>> position,
                  std::span<Vec3<double>> force);

}  // namespace dropmd
