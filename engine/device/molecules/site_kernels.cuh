#pragma once

#include <cstdint>
#include <type_traits>

#include "engine/device/molecules/molecule_kernels.cuh"
#include "engine/device/molecules/site_quanta.cuh"
#include "forces/device_force_term.cuh"
#include "integrators/virtual_sites/virtual_site_plan.h"
#include "integrators/virtual_sites/weighted_site.h"

/// Virtual sites in the steps on a GPU; one thread per site.
namespace dropmd {

/// Sites of one form. Their blocks follow those of the previous forms.
template <class Form>
struct SiteView {
  const Form* form = nullptr;           ///< [n_types]
  const std::uint32_t* type = nullptr;  ///< [n] index of each site's form
  const std::uint32_t* at = nullptr;    ///< [n][1 + kParents] storage indices of site and parents
  std::uint32_t n = 0;
  std::uint32_t first_block = 0;

  /// Storage index of a site, and of one of its parents.
  DROPMD_HOST_DEVICE std::uint32_t site(std::uint32_t k) const { return at[k * (1 + Form::kParents)]; }
  DROPMD_HOST_DEVICE std::uint32_t parent(std::uint32_t k, int p) const {
    return at[k * (1 + Form::kParents) + 1 + static_cast<std::uint32_t>(p)];
  }
};

/// Sites at weighted means.
struct WeightedSiteView {
  const std::uint32_t* start = nullptr;    ///< [n + 1] where the parents of each begin
  const double* weight = nullptr;          ///< of each parent
  const std::uint32_t* at_site = nullptr;  ///< [n] storage indices
  const std::uint32_t* parent = nullptr;   ///< storage indices
  std::uint32_t n = 0;
  std::uint32_t first_block = 0;

  DROPMD_HOST_DEVICE std::uint32_t site(std::uint32_t k) const { return at_site[k]; }
};

struct SiteViews {
  SiteView<SiteAtOne> at_one;
  SiteView<SiteOfTwo> two;
  SiteView<SiteOfTwoFixedDistance> two_fd;
  SiteView<SiteOfThree> three;
  SiteView<SiteOfThreeFixedDistance> three_fd;
  SiteView<SiteOfThreeFixedAngle> three_fad;
  SiteView<SiteOutOfPlane> three_out;
  SiteView<SiteOfFourNormal> four_fdn;
  WeightedSiteView weighted;
  std::uint32_t n_blocks = 0;

  template <class Use>
  DROPMD_HOST_DEVICE void for_each_form(const Use& use) const {
    use(at_one), use(two), use(two_fd), use(three), use(three_fd), use(three_fad), use(three_out), use(four_fdn);
  }
  template <class Use>
  void for_each_form(const Use& use) {
    use(at_one), use(two), use(two_fd), use(three), use(three_fd), use(three_fad), use(three_out), use(four_fdn);
  }
};

#if defined(__CUDACC__)

/// Calls use(view, number) for the site of this thread, if it has one.
template <class Use>
__device__ void with_site(const SiteViews& views, const Use& use) {
  const auto call = [&](const auto& kind) {
    const std::uint32_t block = blockIdx.x - kind.first_block;
    if (blockIdx.x < kind.first_block || block >= MoleculeTuning::blocks(kind.n)) return;
    if (const std::uint32_t k = block * MoleculeTuning::kThreads + threadIdx.x; k < kind.n) use(kind, k);
  };
  views.for_each_form(call);
  call(views.weighted);
}

__device__ inline WeightedParents parents_of(const WeightedSiteView& view, std::uint32_t k) {
  return {view.parent + view.start[k], view.weight + view.start[k], view.start[k + 1] - view.start[k]};
}

template <class Form>
__device__ Vec3<double> place_of(const SiteView<Form>& view, std::uint32_t k, const Vec3<double>* position) {
  Vec3<double> parent[Form::kParents];
  for (int p = 0; p < Form::kParents; ++p) parent[p] = position[view.parent(k, p)];
  return view.form[view.type[k]].place(parent);
}
__device__ inline Vec3<double> place_of(const WeightedSiteView& view, std::uint32_t k, const Vec3<double>* position) {
  return parents_of(view, k).mean(position);
}

/// Moves a site to its place at step `to` and books the work that oscillating fields do on it meanwhile.
template <class Real, class View>
__device__ void place_site(const StepView<Real>& step, const View& view, std::uint32_t k, std::uint64_t to) {
  const std::uint32_t index = view.site(k);
  const Vec3<double> before = step.atoms.position[index], after = place_of(view, k, step.atoms.position);
  step.atoms.position[index] = after;
  step.book_site(index, before, after, to);
}

/// The same, and with a neighbour structure prepares the next forces on it.
template <class Parts, class Real, class View>
__device__ void place_and_prepare(const StepView<Real>& step, const View& view, std::uint32_t k, std::uint64_t to) {
  const std::uint32_t index = view.site(k);
  place_site(step, view, k, to);
  if (step.searches()) step.template prepare_forces<Parts::kFill>(index, step.atoms.position[index], to);
}

/// Places the sites in the step that kernels with these parts perform, after the kernel for the clusters. arrived: as
/// for advance_clocks().
template <class Parts, bool kGloballyCoupled, class Real>
__global__ void __launch_bounds__(MoleculeTuning::kThreads)
    place_sites_kernel(const __grid_constant__ StepView<Real> step, const __grid_constant__ SiteViews views,
                       std::uint32_t* arrived) {
  wait_for_kernel_before();
  const MoleculeTurn<Parts> now(step);
  const std::uint64_t to = now.clock.step() + 1;
  if (now.turn.moves)
    with_site(views, [&](const auto& view, std::uint32_t k) { place_and_prepare<Parts>(step, view, k, to); });
  advance_clocks<Parts, kGloballyCoupled>(step, now, /*faulted=*/false, arrived);
}

/// Places the sites of atoms that are already at new positions.
template <class Real>
__global__ void __launch_bounds__(MoleculeTuning::kThreads)
    place_sites_of_moved_kernel(const __grid_constant__ StepView<Real> step, const __grid_constant__ SiteViews views) {
  if (step.sums.errors.any()) return;
  with_site(views, [&](const auto& view, std::uint32_t k) { place_site(step, view, k, step.clock->step()); });
}

/// The force of a site while it is passed on: in whole quanta, so that the sum over parents and site does not change.
template <class Real>
struct SpreadSums {
  const ForceSumsView<Real>& sums;
  std::uint32_t site;
  Vec3<long long> rest;  ///< quanta that no parent has received yet

  /// Takes the force from the site. force: the whole force on it, also what the sums do not have.
  __device__ SpreadSums(const ForceSumsView<Real>& of, std::uint32_t index, const Vec3<double>& force)
      : sums(of), site(index), rest(whole_quanta(of, force)) {
    sums.clear(index);
  }
  __device__ void give(std::uint32_t parent, const Vec3<double>& force) {
    const Vec3<long long> part = whole_quanta(sums, force);
    sums.add_quanta(parent, part);
    rest = {rest.x - part.x, rest.y - part.y, rest.z - part.z};
  }
  __device__ void give_rest(std::uint32_t parent) const { sums.add_quanta(parent, rest); }
};

template <class Real, class Form>
__device__ void spread_site(const SiteView<Form>& view, std::uint32_t k, const Vec3<double>* position,
                            const Vec3<double>& force, const ForceSumsView<Real>& sums) {
  std::uint32_t at[Form::kParents];
  Vec3<double> parent[Form::kParents], on_parent[Form::kParents];
  for (int p = 0; p < Form::kParents; ++p) {
    at[p] = view.parent(k, p);
    parent[p] = position[at[p]];
  }
  view.form[view.type[k]].spread(parent, force, on_parent);
  SpreadSums<Real> spread(sums, view.site(k), force);
  for (int p = 1; p < Form::kParents; ++p) spread.give(at[p], on_parent[p]);
  spread.give_rest(at[0]);
}
template <class Real>
__device__ void spread_site(const WeightedSiteView& view, std::uint32_t k, const Vec3<double>*,
                            const Vec3<double>& force, const ForceSumsView<Real>& sums) {
  const WeightedParents parents = parents_of(view, k);
  SpreadSums<Real> spread(sums, view.site(k), force);
  for (std::size_t p = 1; p < parents.n; ++p) spread.give(parents.parent[p], parents.weight[p] * force);
  spread.give_rest(parents.parent[0]);
}

/// Passes the force of a site on to its parents, in these sums.
template <class Real, class View>
__device__ void pass_on_force(const StepView<Real>& step, const View& view, std::uint32_t k,
                              const ForceSumsView<Real>& sums, const Vec3<double>& force) {
  if (sums.holds(force))
    spread_site(view, k, step.atoms.position, force, sums);
  else
    sums.errors.report(static_cast<std::uint8_t>(ForceFault::not_finite), view.site(k));
}
/// The same for the whole force, including that of one-body terms, which the sums do not have.
template <class Real, class View>
__device__ void pass_on_whole_force(const StepView<Real>& step, const View& view, std::uint32_t k) {
  const std::uint32_t index = view.site(k);
  const Vec3<double> of_fields = step.fields.force(step.point(index, step.atoms.position[index], step.clock->step()));
  pass_on_force(step, view, k, step.sums, step.sums.get(index) + of_fields);
}

/// Passes the forces of the sites on to their parents, if forces were wanted: in the common sums and in those of slow
/// forces. only_slow: in the latter alone.
template <class Real>
__global__ void __launch_bounds__(MoleculeTuning::kThreads)
    spread_sites_kernel(const __grid_constant__ StepView<Real> step, const __grid_constant__ SiteViews views,
                        const __grid_constant__ DeviceMoment<Real> now, bool only_slow) {
  wait_for_kernel_before();
  if (!now.wants_forces() || step.sums.errors.any()) return;
  with_site(views, [&](const auto& view, std::uint32_t k) {
    if (!only_slow) pass_on_whole_force(step, view, k);
    if (step.slow.low != nullptr && step.clock->step() % step.slow.every == 0) {
      const ForceSumsView<Real> slow = step.slow.like(step.sums);
      pass_on_force(step, view, k, slow, slow.get(view.site(k)));
    }
  });
}

#endif

}  // namespace dropmd
