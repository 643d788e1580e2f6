#include <optional>
#include <utility>
#include <vector>

#include "forces/mesh/split_polynomial.h"
#include "maps/mesh/divided_map.h"
#include "maps/mesh/map_sample.h"

namespace dropmd {

namespace {

/// Charges with memory of their own.
struct ChargeList {
  std::vector<Vec3<double>> position;
  std::vector<double> charge;

  void add(const Vec3<double>& x, double q) {
    position.push_back(x);
    charge.push_back(q);
  }
  MapCharges view() const { return {position, charge}; }
};

void add_map(const MapValues& from, MapValues& to) {
  for (std::size_t p = 0; p < to.potential.size(); ++p) to.potential[p] += from.potential[p];
  for (std::size_t p = 0; p < to.field.size(); ++p) to.field[p] += from.field[p];
  to.near_points += from.near_points;
  to.evaluations += from.evaluations;
}

/// Computes maps by a mesh. All choices depend on the grid and the charges alone, so that maps of a run that was
/// interrupted are the same.
///
/// The error is known at the points of the sample, whose exact potential the plan needs in any case. If it exceeds the
/// accuracy, as it may where charges are on a lattice, the map is computed again with a finer mesh. If that does not
/// help because the error is that of rounding, the map is summed directly. This can happen in mixed precision where the
/// potentials of the charges cancel at most points.
class MeshMapSum final : public MapSum {
 public:
  MeshMapSum(Cpu cpu, Precision precision, const MapModel& model, std::unique_ptr<DividedMap> parts,
             const MapMeshPrices& prices)
      : cpu_(cpu), model_(model), parts_(std::move(parts)), prices_(prices) {
    model_.mesh->precision = precision;
  }

  MapValues compute(const MapGrid& grid, MapCharges charges, const MapProgress& progress) override {
    seconds_ = 0;
    const double accuracy = model_.mesh->accuracy;
    MapModel wanted = model_;
    MapValues values = *compute(wanted, grid, charges, progress, /*may_be_direct=*/true);
    for (int finer = 1; values.mesh->points[0] != 0 && values.mesh->measured_error > kSure * accuracy; ++finer) {
      const double error = values.mesh->measured_error;
      wanted.mesh->accuracy *= kSure * accuracy / (kErrorMargin * error);
      wanted.mesh->of_run.reset();
      if (finer > kMostTimes) wanted.mesh->accuracy = 0;
      std::optional<MapValues> other = compute(wanted, grid, charges, progress, /*may_be_direct=*/error > accuracy);
      if (!other) return values;
      if (other->mesh->measured_error > kOfUse * error) finer = kMostTimes;  // it is the last one
      values = std::move(*other);
    }
    return values;
  }

  double device_seconds() const override { return seconds_; }

 private:
  /// The error of the whole map may be larger than that of the sample.
  static constexpr double kSure = 0.85;
  static constexpr int kMostTimes = 3;
  /// A finer mesh is of use if it reduces the error to this fraction or less; it should reduce it to 0.65 or less.
  static constexpr double kOfUse = 0.8;

  /// Computes a map of the accuracy that is wanted, by a mesh if there is one; nullopt if there is none and the map may
  /// not be summed directly.
  std::optional<MapValues> compute(const MapModel& wanted, const MapGrid& grid, MapCharges charges,
                                   const MapProgress& progress, bool may_be_direct) {
    const auto [sample, plan] = plan_map(cpu_, wanted, grid, charges, parts_->direct(), prices_);
    if (plan.empty() && !may_be_direct) return std::nullopt;
    ChargeList on_mesh, outside;
    for (std::size_t i = 0; i < charges.charge.size(); ++i)
      if (charges.charge[i] != 0)
        (plan.holds(charges.position[i]) ? on_mesh : outside).add(charges.position[i], charges.charge[i]);
    MapValues values;
    if (plan.empty()) {
      values = parts_->direct().compute(grid, outside.view(), progress);
      seconds_ += parts_->direct().device_seconds();
    } else {
      values = parts_->compute(plan, grid, on_mesh.view(), progress);
      seconds_ += parts_->device_seconds();
      if (!outside.charge.empty()) {
        add_map(parts_->direct().compute(grid, outside.view()), values);
        seconds_ += parts_->direct().device_seconds();
      }
    }
    values.mesh = {plan.parameters, plan.box.points, outside.charge.size(), plan.error,
                   sample.error_of(values.potential)};
    return values;
  }

  Cpu cpu_;
  MapModel model_;
  std::unique_ptr<DividedMap> parts_;
  MapMeshPrices prices_;
  double seconds_ = 0;
};

}  // namespace

MapModel short_range_model(const MapModel& model, const MeshParameters& parameters, int most_degree) {
  MapModel pairs = model;
  pairs.mesh.reset();
  const CoulombSplit split(parameters.cutoff, parameters.bandwidth);
  pairs.coulomb =
      short_range_choice(split, least_degree(split, parameters.fit_error, most_degree).value_or(most_degree));
  return pairs;
}

std::unique_ptr<MapSum> make_mesh_map_sum(Cpu cpu, Precision precision, const MapModel& model,
                                          std::unique_ptr<DividedMap> parts, const MapMeshPrices& prices) {
  require_map_accuracy(model.mesh->accuracy, precision);
  return std::make_unique<MeshMapSum>(cpu, precision, model, std::move(parts), prices);
}

}  // namespace dropmd
