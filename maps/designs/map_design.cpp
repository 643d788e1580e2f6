#include "maps/designs/map_design.h"

#include <algorithm>
#include <array>

#include "core/errors.h"

namespace dropmd {

namespace {

// Operations per pair, in the order of the kernels: differences, squares, sums, smallest distance, cutoff, root,
// product with the charge, sum; those that several points share are divided among them. The four words of an atom serve
// all points of a thread.
constexpr double kPoint = 7;         // dx, dx², +, max, root, q·, +
constexpr double kRow = 5;           // dy, dz, dy², dz², +
constexpr double kCutoffPoint = 8;   // dz, dz², +, max, comparison, root, q·, +
constexpr double kCutoffColumn = 5;  // dx, dy, dx², dy², +
constexpr std::array<MapDesign, 7> kDesigns{{
    {"scatter", false, kPoint + 2, 2},  // and the index of the point; the point is read and written
    {"gather", false, kPoint + kRow, 4},
    {"gather-constant", false, kPoint + kRow, 4},
    {"coarsened", false, kPoint + kRow / 4, 1},
    {"coalesced", false, kPoint + kRow / 4, 1},
    {"large-bins", true, kCutoffPoint + kCutoffColumn / 4, 1},
    // The comparison with the cylinder.
    {"small-bins", true, kCutoffPoint + (kCutoffColumn + 1) / 4, 1},
}};

}  // namespace

std::span<const MapDesign> map_designs() { return kDesigns; }

const MapDesign& require_map_design(std::string_view name, const MapModel& model) {
  require_map_model(model);
  const auto* const found =
      std::find_if(kDesigns.begin(), kDesigns.end(), [&](const MapDesign& design) { return design.name == name; });
  if (found == kDesigns.end()) throw InputError("there is no design '" + std::string(name) + "' of potential maps");
  if (found->has_cutoff != model.coulomb.has("cutoff"))
    throw InputError("the design '" + std::string(name) + "' of potential maps is for forms " +
                     (found->has_cutoff ? "with" : "without") + " a cutoff");
  if (model.field)
    throw InputError("the design '" + std::string(name) + "' of potential maps does not compute the field");
  return *found;
}

}  // namespace dropmd
