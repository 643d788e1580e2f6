#pragma once

#include <algorithm>
#include <utility>

#include "device/device_info.h"
#include "device/error_record.cuh"
#include "device/event.cuh"
#include "device/pinned.cuh"
#include "device/timer.cuh"
#include "maps/copy_array.h"
#include "maps/cutoff_kernel.cuh"
#include "maps/direct_kernel.cuh"
#include "maps/form_in.h"
#include "maps/map_cuda.h"
#include "maps/map_forms.h"
#include "maps/slab_term.cuh"
#include "maps/sorted_charges.h"

namespace dropmd {

/// Planes of a grid on a device and in transit to the host.
template <bool kField>
struct SlabOnTheWay {
  /// n_points: capacity on the host.
  SlabOnTheWay(const Stream& stream, std::size_t n_points)
      : potential(stream),
        field(stream),
        near(stream),
        host_potential(n_points),
        host_field(kField ? n_points : 1),
        computed(stream) {}

  bool can_hold(std::size_t n_points) const { return n_points <= host_potential.all().size(); }

  DeviceBuffer<double> potential;
  DeviceBuffer<Vec3<double>> field;
  DeviceBuffer<std::uint8_t> near;
  Pinned<double> host_potential;
  Pinned<Vec3<double>> host_field;
  Event computed;
  Timer timer;
  std::int32_t first = 0, n_planes = 0;  ///< 0: nothing is in transit
};

/// Computes maps on a GPU, slab by slab: while one is computed, the previous one is copied to the host.
template <class Real, class Form, bool kCutoff, bool kField>
class CudaMapSum final : public MapSum {
 public:
  /// term: is added to every slab, or null. It must outlive this object.
  CudaMapSum(int device, Cpu cpu, const MapModel& model, const Form& form, SlabTerm* term = nullptr)
      : cpu_(cpu),
        model_(model),
        form_(form),
        near_form_(model.coulomb),
        term_(term),
        stream_((require_device(device), device)),
        copies_(device) {}

  MapValues compute(const MapGrid& grid, MapCharges charges, const MapProgress& progress) override {
    stream_.activate();
    MapValues values;
    values.potential.resize(grid.n_points());
    if constexpr (kField) values.field.resize(grid.n_points());
    const SortedCharges atoms(cpu_, charges, kCutoff ? kEdgeShare * model_.coulomb.at("cutoff") : 0);
    upload(atoms);
    const SlabPlan plan = plan_slabs(grid);
    for (auto& slab : slabs_) allocate(plan, slab);
    if (term_ != nullptr) term_->allocate({grid.points.x, grid.points.y, plan.planes});
    seconds_ = 0;
    int turn = 0;
    for (std::int32_t first = 0; first < grid.points.z; first += plan.planes, turn = 1 - turn) {
      SlabOnTheWay<kField>& slab = *slabs_[turn];
      slab.first = first;
      slab.n_planes = std::min(plan.planes, grid.points.z - first);
      launch(grid, plan, slab);
      fetch(grid, *slabs_[1 - turn], values);
      stop_if_told(progress, grid.number(0, 0, first), grid);
    }
    fetch(grid, *slabs_[1 - turn], values);
    stop_if_told(progress, grid.n_points(), grid);
    unsigned long long counts[2] = {};
    d_counts_.download(counts);
    stream_.synchronize("reading the counts of a map");
    values.near_points = counts[0];
    values.evaluations = counts[1];
    return values;
  }

  double device_seconds() const override { return seconds_; }

 private:
  /// Edge of the cells over the cutoff: smaller cells mean more look-ups, larger ones more atoms beyond the cutoff.
  static constexpr double kEdgeShare = 0.5;

  struct SlabPlan {
    std::int32_t planes = 1;
    std::size_t n_points = 0;  ///< of a slab
    std::uint32_t n_splits = 1, atoms_a_split = 0;
  };

  static constexpr int kPoints = kCutoff ? CutoffShape::kPoints<Real, kField> : DirectShape::kPoints<Real, kField>;

  void stop_if_told(const MapProgress& progress, std::size_t done, const MapGrid& grid) const {
    if (!progress || progress(done, grid.n_points())) return;
    stream_.synchronize("stopping a potential map");
    throw MapStopped{};
  }

  void upload(const SortedCharges& atoms) {
    static_assert(sizeof(SortedCharges::Atom) == sizeof(DeviceCharge));
    n_atoms_ = static_cast<std::uint32_t>(atoms.atoms().size());
    d_atoms_.resize(n_atoms_);
    if (n_atoms_ > 0)
      DROPMD_CUDA(cudaMemcpyAsync(d_atoms_.data(), atoms.atoms().data(), n_atoms_ * sizeof(DeviceCharge),
                                  cudaMemcpyHostToDevice, stream_.get()),
                  "copying charges to the device");
    if (atoms.cells()) {
      const CellGridView view = atoms.cells()->view();
      d_cells_.upload({view.cells, view.n_cells});
      d_table_.upload({view.table, view.table_mask + std::size_t{1}});
      cells_ = {{d_cells_.data(), view.n_cells, d_table_.data(), view.table_mask},
                atoms.cells()->anchor(),
                atoms.cells()->edge()};
    }
    d_counts_.resize(2);
    d_counts_.zero();
    stream_.synchronize("copying charges to the device");
  }

  /// Divides the grid into slabs of whole layers of blocks, as few as memory and a time limit per slab allow. If there
  /// are few blocks, the atoms are divided, too.
  SlabPlan plan_slabs(const MapGrid& grid) const {
    constexpr std::size_t kMostPoints = std::size_t{1} << 23U;  // 64 MiB of fp64, twice
    constexpr double kMostEvaluations = 4e11;                   // a tenth of a second
    constexpr std::uint32_t kEnoughBlocks = 2048;
    const std::size_t plane = grid.n_points() / static_cast<std::size_t>(grid.points.z);
    double most = static_cast<double>(kMostPoints);
    if constexpr (!kCutoff) most = std::min(most, kMostEvaluations / std::max(1U, n_atoms_));
    const double layers = std::floor(most / (static_cast<double>(plane) * kPoints));
    SlabPlan plan;
    plan.planes = static_cast<std::int32_t>(std::min(std::max(layers, 1.0) * kPoints, 1.0 * grid.points.z));
    plan.n_points = plane * static_cast<std::size_t>(plan.planes);
    plan.atoms_a_split = n_atoms_;
    if constexpr (!kCutoff) {
      const PointBlocks blocks{{grid.points.x, grid.points.y, plan.planes},
                               {DirectShape::kBlockX, DirectShape::kBlockY, kPoints}};
      const auto wanted = static_cast<std::uint32_t>(kEnoughBlocks / std::max<std::int64_t>(1, blocks.n_blocks()));
      const std::uint32_t tiles = (n_atoms_ + DirectShape::kTile - 1) / DirectShape::kTile;
      const std::uint32_t tiles_a_split = std::max(1U, tiles / std::clamp(wanted, 1U, 64U));
      plan.atoms_a_split = tiles_a_split * DirectShape::kTile;
      plan.n_splits = std::max(1U, (tiles + tiles_a_split - 1) / tiles_a_split);
    }
    return plan;
  }

  void allocate(const SlabPlan& plan, std::unique_ptr<SlabOnTheWay<kField>>& slab) {
    if (!slab || !slab->can_hold(plan.n_points)) slab = std::make_unique<SlabOnTheWay<kField>>(stream_, plan.n_points);
    slab->potential.resize(plan.n_points * plan.n_splits);
    if constexpr (kField) slab->field.resize(plan.n_points * plan.n_splits);
    if (plan.n_splits > 1) slab->near.resize(plan.n_points);
    slab->n_planes = 0;
  }

  void launch(const MapGrid& grid, const SlabPlan& plan, SlabOnTheWay<kField>& slab) {
    const MapSlab view{grid.origin,
                       grid.spacing,
                       {grid.points.x, grid.points.y, slab.n_planes},
                       slab.first,
                       model_.coulomb_constant,
                       model_.nearest,
                       slab.potential.data(),
                       kField ? slab.field.data() : nullptr,
                       plan.n_splits > 1 ? slab.near.data() : nullptr,
                       d_counts_.data(),
                       d_counts_.data() + 1};
    slab.timer.start(stream_);
    if (plan.n_splits > 1) slab.near.zero();
    if constexpr (kCutoff) {
      const PointBlocks blocks{view.points, {kWarpX, kWarpY, kPoints}};
      const auto n_blocks =
          static_cast<std::uint32_t>((blocks.n_blocks() + CutoffShape::kWarps - 1) / CutoffShape::kWarps);
      cutoff_kernel<Real, Form, NearForm, kField><<<n_blocks, 32 * CutoffShape::kWarps, 0, stream_.get()>>>(
          view, form_, near_form_, model_.coulomb.at("cutoff"), cells_, d_atoms_.data());
      DROPMD_CUDA_LAUNCHED("computing a potential map with a cutoff");
    } else {
      const PointBlocks blocks{view.points, {DirectShape::kBlockX, DirectShape::kBlockY, kPoints}};
      const dim3 shape(static_cast<std::uint32_t>(blocks.n_blocks()), plan.n_splits);
      direct_kernel<Real, kField><<<shape, DirectShape::kThreads, 0, stream_.get()>>>(view, near_form_, d_atoms_.data(),
                                                                                      n_atoms_, plan.atoms_a_split);
      DROPMD_CUDA_LAUNCHED("computing a potential map");
      if (plan.n_splits > 1) {
        constexpr std::uint32_t kThreads = 256;
        const auto n_blocks = static_cast<std::uint32_t>((view.n_points() + kThreads - 1) / kThreads);
        join_splits_kernel<kField><<<n_blocks, kThreads, 0, stream_.get()>>>(view, plan.n_splits);
        DROPMD_CUDA_LAUNCHED("joining the parts of a potential map");
      }
    }
    if (term_ != nullptr) term_->add({stream_}, view);
    slab.timer.stop(stream_);
    slab.computed.record(stream_);
  }

  /// Copies a slab that was launched to the host, if there is one.
  void fetch(const MapGrid& grid, SlabOnTheWay<kField>& slab, MapValues& values) {
    if (slab.n_planes == 0) return;
    const std::size_t at = grid.number(0, 0, slab.first);
    const std::size_t n = grid.number(0, 0, slab.first + slab.n_planes) - at;
    slab.computed.hold(copies_);
    copy(slab.host_potential.get(), slab.potential.data(), n);
    if constexpr (kField) copy(slab.host_field.get(), slab.field.data(), n);
    copies_.synchronize("copying a potential map to the host");
    copy_array(cpu_, values.potential.data() + at, slab.host_potential.get(), n * sizeof(double));
    if constexpr (kField) copy_array(cpu_, values.field.data() + at, slab.host_field.get(), n * sizeof(Vec3<double>));
    seconds_ += slab.timer.seconds();
    slab.n_planes = 0;
  }

  template <class Value>
  void copy(Value* host, const Value* device, std::size_t n) {
    DROPMD_CUDA(cudaMemcpyAsync(host, device, n * sizeof(Value), cudaMemcpyDeviceToHost, copies_.get()),
                "copying a potential map to the host");
  }

  using NearForm = typename FormIn<Form, double>::type;

  Cpu cpu_;
  MapModel model_;
  Form form_;
  NearForm near_form_;
  SlabTerm* term_;
  Stream stream_, copies_;
  std::unique_ptr<SlabOnTheWay<kField>> slabs_[2];
  double seconds_ = 0;
  std::uint32_t n_atoms_ = 0;
  DeviceBuffer<DeviceCharge> d_atoms_{stream_};
  DeviceBuffer<Cell> d_cells_{stream_};
  DeviceBuffer<std::uint32_t> d_table_{stream_};
  DeviceBuffer<unsigned long long> d_counts_{stream_};
  MapCells cells_{};
};

extern template std::unique_ptr<MapSum> make_map_sum_cuda<float>(int, Cpu, const MapModel&);
extern template std::unique_ptr<MapSum> make_map_sum_cuda<double>(int, Cpu, const MapModel&);

template <class Real>
std::unique_ptr<MapSum> make_map_sum_cuda(int device, Cpu cpu, const MapModel& model) {
  std::unique_ptr<MapSum> sum;
  with_map_form<Real>(model, [&]<class Form, bool kCutoff>(const Form& form, std::bool_constant<kCutoff>) {
    if (model.field)
      sum = std::make_unique<CudaMapSum<Real, Form, kCutoff, true>>(device, cpu, model, form);
    else
      sum = std::make_unique<CudaMapSum<Real, Form, kCutoff, false>>(device, cpu, model, form);
  });
  return sum;
}

}  // namespace dropmd
