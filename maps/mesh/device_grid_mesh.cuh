#pragma once

#include <optional>
#include <span>
#include <vector>

#include "device/error_record.cuh"
#include "device/timer.cuh"
#include "forces/mesh/cuda/device_mesh.cuh"
#include "maps/mesh/grid_interpolation.cuh"
#include "maps/mesh/grid_weights.h"
#include "maps/mesh/map_mesh_plan.h"
#include "maps/slab_term.cuh"
#include "maps/sorted_charges.h"

namespace dropmd {

/// The mesh of a map on a GPU.
template <class Real>
class DeviceGridMesh final : public SlabTerm {
 public:
  explicit DeviceGridMesh(int device) : stream_(device), errors_(stream_) {}

  /// Computes the potential on the mesh of a plan; waits. The influence function is kept while it stays the same.
  /// atoms: neighbours in space should be neighbours in memory. field: whether maps have one. Throws DeviceError.
  void prepare(Cpu cpu, const MapMeshPlan& plan, const MapGrid& grid, std::span<const SortedCharges::Atom> atoms,
               bool field) {
    stream_.activate();
    const int order = plan.parameters.order;
    fit_mesh(cpu, plan, largest_sum(plan.box, order, atoms));
    upload(atoms);
    const GridWeights weights(grid, plan.box, order);
    x_.upload(weights.x, order, field);
    y_.upload(weights.y, order, field);
    z_.upload(weights.z, order, field);
    field_ = field;
    const DeviceMoment<Real> now{
        d_position_.data(), d_charge_.data(), nullptr, static_cast<std::uint32_t>(atoms.size()), nullptr, nullptr, {}};
    timer_.start(stream_);
    mesh_->spread({stream_}, now, errors_.view());
    mesh_->transform({stream_}, errors_.view());
    timer_.stop(stream_);
    if (errors_.read()) throw DeviceError("the mesh of a potential map could not hold its charges");
    seconds_ = timer_.seconds();
  }

  void allocate(const Vec3<std::int32_t>& points) override {
    const MeshValues<Real> mesh = mesh_->values();
    const auto wide = [](int n) { return static_cast<std::size_t>(n); };
    const std::size_t plane = wide(points.z) * wide(mesh.points[1]) * wide(mesh.points[0]),
                      row = wide(points.z) * wide(points.y) * wide(mesh.points[0]);
    d_plane_.resize(plane);
    d_row_.resize(row);
    d_plane_slope_.resize(field_ ? plane : 0);
    d_row_slope_y_.resize(field_ ? row : 0);
    d_row_slope_z_.resize(field_ ? row : 0);
    stream_.synchronize("allocating the interpolation of a potential map");
  }

  void add(const Cuda& cuda, const MapSlab& slab) override {
    const MeshValues<Real> mesh = mesh_->values();
    const auto if_field = [&](const DeviceBuffer<Real>& buffer) { return field_ ? buffer.data() : nullptr; };
    const InterpolationView<Real> view{mesh,
                                       order_,
                                       x_.view(),
                                       y_.view(),
                                       z_.view(),
                                       d_plane_.data(),
                                       if_field(d_plane_slope_),
                                       d_row_.data(),
                                       if_field(d_row_slope_y_),
                                       if_field(d_row_slope_z_)};
    const auto blocks = [](std::size_t n) {
      return static_cast<std::uint32_t>((n + InterpolationTuning::kThreads - 1) / InterpolationTuning::kThreads);
    };
    constexpr const char* kDoing = "interpolating a potential map";
    const std::size_t rows = static_cast<std::size_t>(slab.points.z) * static_cast<std::size_t>(mesh.points[0]);
    const std::size_t n_plane = rows * static_cast<std::size_t>(mesh.points[1]),
                      n_row = rows * static_cast<std::size_t>(slab.points.y);
    interpolate_planes_kernel<<<blocks(n_plane), InterpolationTuning::kThreads, 0, cuda.get()>>>(view, slab.first,
                                                                                                 n_plane);
    DROPMD_CUDA_LAUNCHED(kDoing);
    interpolate_rows_kernel<<<blocks(n_row), InterpolationTuning::kThreads, 0, cuda.get()>>>(view, n_row);
    DROPMD_CUDA_LAUNCHED(kDoing);
    interpolate_points_kernel<<<blocks(slab.n_points()), InterpolationTuning::kThreads, 0, cuda.get()>>>(
        view, slab, slab.n_points());
    DROPMD_CUDA_LAUNCHED(kDoing);
  }

  /// Seconds that the last prepare() took on the device.
  double seconds() const { return seconds_; }

 private:
  /// AxisWeights in device memory.
  class Axis {
   public:
    explicit Axis(const Stream& stream) : stream_(stream), d_first_(stream), d_weight_(stream), d_slope_(stream) {}

    void upload(const AxisWeights& weights, int order, bool slopes) {
      n_ = static_cast<std::int32_t>(weights.first.size());
      d_first_.upload(weights.first);
      const std::vector<Real> weight = by_spline_point(weights.weight, order);
      d_weight_.upload(weight);
      const std::vector<Real> slope = by_spline_point(slopes ? weights.slope : std::vector<double>{}, order);
      d_slope_.upload(slope);
      stream_.synchronize("copying the weights of a potential map");
    }
    AxisView<Real> view() const { return {d_first_.data(), d_weight_.data(), d_slope_.data(), n_}; }

   private:
    /// Transposes [n][P] to [P][n].
    static std::vector<Real> by_spline_point(const std::vector<double>& of_points, int order) {
      const std::size_t p = static_cast<std::size_t>(order), n = of_points.size() / p;
      std::vector<Real> result(of_points.size());
      for (std::size_t i = 0; i < n; ++i)
        for (std::size_t k = 0; k < p; ++k) result[k * n + i] = static_cast<Real>(of_points[i * p + k]);
      return result;
    }

    const Stream& stream_;
    DeviceBuffer<int> d_first_;
    DeviceBuffer<Real> d_weight_, d_slope_;
    std::int32_t n_ = 0;
  };

  /// Returns a bound of the sum of charges at a point of the mesh: it is at most Σ w |q| over the cells of the P³
  /// points around it, where the sum over these cells of the largest w is at most 4.7 for the orders that exist.
  static double largest_sum(const MeshBox& box, int order, std::span<const SortedCharges::Atom> atoms) {
    constexpr double kMostWeights = 4.7;
    std::vector<float> sum(box.size());
    for (const SortedCharges::Atom& atom : atoms) {
      const Vec3<double> place = box.place(atom.position);
      const auto index = [&](double at) { return static_cast<std::size_t>(std::floor(at - 0.5 * order) + 1); };
      float& cell = sum[(index(place.x) * static_cast<std::size_t>(box.points[1]) + index(place.y)) *
                            static_cast<std::size_t>(box.points[2]) +
                        index(place.z)];
      cell += static_cast<float>(std::abs(atom.charge));
    }
    const double most = sum.empty() ? 0 : *std::max_element(sum.begin(), sum.end());
    return most > 0 ? kMostWeights * 1.001 * most : 1;
  }

  void fit_mesh(Cpu cpu, const MapMeshPlan& plan, double bound) {
    const MeshParameters& p = plan.parameters;
    std::vector<double> numbers = plan.influence_numbers();
    numbers.push_back(mesh_charge_bits<Real>(bound));  // the scale of the charges is a power of two
    order_ = p.order;
    if (mesh_ && numbers == numbers_) return mesh_->move_to({stream_}, plan.box.first);
    mesh_.reset();  // frees its memory first
    DeviceMeshSettings settings;
    settings.order = p.order;
    settings.extent = plan.extent();
    settings.charge.largest = bound;
    mesh_.emplace(Cuda{stream_}, cpu, CoulombSplit(p.cutoff, p.bandwidth), plan.box, settings);
    numbers_ = numbers;
  }

  void upload(std::span<const SortedCharges::Atom> atoms) {
    std::vector<Vec3<double>> position;
    std::vector<double> charge;
    position.reserve(atoms.size());
    charge.reserve(atoms.size());
    for (const SortedCharges::Atom& atom : atoms) {
      position.push_back(atom.position);
      charge.push_back(atom.charge);
    }
    d_position_.upload(position);
    d_charge_.upload(charge);
    stream_.synchronize("copying charges to the device");
  }

  Stream stream_;
  ErrorRecord errors_;
  std::optional<DeviceMesh<Real>> mesh_;
  std::vector<double> numbers_;  ///< that determine the mesh, apart from its place
  int order_ = 0;
  bool field_ = false;
  double seconds_ = 0;
  Timer timer_;
  DeviceBuffer<Vec3<double>> d_position_{stream_};
  DeviceBuffer<double> d_charge_{stream_};
  Axis x_{stream_}, y_{stream_}, z_{stream_};
  DeviceBuffer<Real> d_plane_{stream_}, d_plane_slope_{stream_};
  DeviceBuffer<Real> d_row_{stream_}, d_row_slope_y_{stream_}, d_row_slope_z_{stream_};
};

}  // namespace dropmd
