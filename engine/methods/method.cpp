#include "engine/methods/method.h"

#include <fmt/core.h>

#include <algorithm>

#include "device/device_info.h"
#include "engine/available_threads.h"
#include "forces/pair/cuda/pairs_cuda.h"
#include "forces/pair/mixed_precision.h"
#include "inputs/run_file/choice_words.h"

namespace dropmd {

namespace {

/// From this many atoms with cutoffs a pair list is faster than all pairs on a GPU (measured: docs/experiments.md).
constexpr std::size_t kGpuListPaysFrom = 2113;

/// Skin of a pair list where none is given, as a share of the cutoff (measured: docs/experiments.md).
constexpr double kSkinShare = 0.04;

/// One that is longer than any droplet is none.
bool has_cutoff(const PairModel& model) { return model.cutoff() > 0 && model.cutoff() < kLongestCutoff; }

/// Sorted cells are sorted at every evaluation unless a run says how far its atoms move (engine/methods/step_cost.h).
double skin_for(const RunConfig& config, const PairModel& model, NeighborMethod neighbor) {
  if (!has_cutoff(model)) return 0;
  return config.skin.value_or(neighbor == NeighborMethod::sorted_cells ? 0.0 : kSkinShare * model.cutoff());
}

/// As many threads as were asked for; else all, but none with so few atoms that waiting for it costs more than it does.
Cpu cpu_for(const RunConfig& config, std::size_t n_atoms) {
  constexpr std::size_t kAtomsPerThread = 500;
  if (config.threads > 0) return {config.threads};
  const std::size_t useful = std::max<std::size_t>(1, n_atoms / kAtomsPerThread);
  return {static_cast<int>(std::min<std::size_t>(useful, static_cast<std::size_t>(available_threads())))};
}

std::string cpu_name(Cpu cpu) {
  return "CPU, " + std::to_string(cpu.threads) + (cpu.threads == 1 ? " thread" : " threads");
}

/// Throws InputError where the precision does not keep its bounds for the model.
void require_precision(const RunConfig& config, const PairModel& model, Precision precision) {
  if (precision == Precision::fp64 || suits_mixed_precision(model)) return;
  const double cutoff = model.lj->at("cutoff"), from = model.lj->at("switch-from");
  const std::string what = fmt::format(
      "'switch-from' in [lennard-jones] leaves a window of {:.3g}% of the cutoff, in which mixed precision loses its "
      "digits (at most {:.6g}, or precision = \"double\")",
      100 * (1 - from / cutoff), last_mixed_switch(cutoff));
  const SourcePlace place = config.lennard_jones ? config.lennard_jones->switch_from_place : SourcePlace{};
  throw place.file.empty() ? InputError(what) : InputError(place, what);
}

void require_cutoffs(const PairModel& model, NeighborMethod neighbor) {
  if (!needs_cutoff(neighbor) || has_cutoff(model)) return;
  throw InputError("neighbor method '" + std::string(word_of(neighbor)) +
                   "' needs a cutoff for every pair term (use all-pairs, or give cutoffs)");
}

void choose_backend(const RunConfig& config, Method& method) {
  method.device = config.device;
  method.backend = Backend::cpu;
  if (config.backend == Backend::cpu) return;
  if (config.backend == Backend::cuda) {
    method.device_name = require_device(config.device).name;
    method.backend = Backend::cuda;
    return;
  }
  std::string reason;
  if (const auto device = find_device(config.device, reason)) {
    method.device_name = device->name;
    method.backend = Backend::cuda;
  } else {
    method.note = "running on the CPU: no usable GPU (dropmd info says why)";
  }
}

}  // namespace

Method with_choice(Method method, const MethodChoice& choice) {
  method.neighbor = choice.neighbor;
  method.skin = choice.skin;
  method.cell_share = choice.cell_share;
  method.list_form = choice.list_form;
  return method;
}

MethodChoice choice_of(const Method& method, std::int64_t step) {
  return {step, method.neighbor, method.skin, method.cell_share, method.list_form};
}

bool needs_cutoff(NeighborMethod method) {
  return method != NeighborMethod::automatic && method != NeighborMethod::all_pairs;
}

bool has_skin(const Method& method) {
  if (method.neighbor == NeighborMethod::cells) return method.backend == Backend::cuda;
  return needs_cutoff(method.neighbor);
}

std::string_view word_of(Backend backend) { return word_of_value(kBackendWords, backend); }
std::string_view word_of(Precision precision) { return word_of_value(kPrecisionWords, precision); }
std::string_view word_of(NeighborMethod method) { return word_of_value(kNeighborWords, method); }
std::string_view word_of(ListForm form) { return word_of_value(kListFormWords, form); }

Method choose_method(const RunConfig& config, const PairModel& model, std::size_t n_atoms) {
  Method method;
  method.precision = config.precision;
  method.cpu = cpu_for(config, n_atoms);
  method.neighbor = config.neighbor;
  method.skin = skin_for(config, model, config.neighbor);
  require_cutoffs(model, config.neighbor);
  require_precision(config, model, config.precision);
  choose_backend(config, method);
  // Measured (docs/experiments.md): on the CPU a list is faster at any size.
  if (method.neighbor == NeighborMethod::automatic) {
    const bool list = has_cutoff(model) && (method.backend == Backend::cpu || n_atoms >= kGpuListPaysFrom);
    method.neighbor = list ? NeighborMethod::pair_list : NeighborMethod::all_pairs;
  }
  if (method.backend == Backend::cpu) method.device_name = cpu_name(method.cpu);
  return method;
}

Method choose_processor(const RunConfig& config) {
  Method method;
  method.precision = config.precision;
  method.cpu = {config.threads > 0 ? config.threads : available_threads()};
  choose_backend(config, method);
  if (method.backend == Backend::cpu) method.device_name = cpu_name(method.cpu);
  return method;
}

std::vector<Method> available_methods(const RunConfig& config, const PairModel& model, std::size_t n_atoms,
                                      std::optional<Precision> only) {
  require_cutoffs(model, config.neighbor);
  if (only) require_precision(config, model, *only);
  std::vector<Method> methods;
  const Cpu cpu = cpu_for(config, n_atoms);
  const auto add = [&](Backend backend, NeighborMethod neighbor, const std::string& device_name) {
    if (config.neighbor != NeighborMethod::automatic && config.neighbor != neighbor) return;
    for (const Precision precision : {Precision::fp64, Precision::mixed})
      if (only ? *only == precision : precision == Precision::fp64 || suits_mixed_precision(model))
        methods.push_back(
            {backend, neighbor, precision, config.device, cpu, device_name, {}, skin_for(config, model, neighbor)});
  };
  if (config.backend != Backend::cuda) {
    const std::string name = cpu_name(cpu);
    add(Backend::cpu, NeighborMethod::all_pairs, name);
    if (has_cutoff(model)) {
      add(Backend::cpu, NeighborMethod::cells, name);
      add(Backend::cpu, NeighborMethod::sorted_cells, name);
      add(Backend::cpu, NeighborMethod::pair_list, name);
    }
  }
  if (config.backend == Backend::cuda) require_device(config.device);
  std::string reason;
  if (config.backend != Backend::cpu)
    if (const auto device = find_device(config.device, reason)) {
      add(Backend::cuda, NeighborMethod::all_pairs, device->name);
      if (has_cutoff(model))
        for (const NeighborMethod method :
             {NeighborMethod::cells, NeighborMethod::sorted_cells, NeighborMethod::pair_list})
          add(Backend::cuda, method, device->name);
    }
  return methods;
}

Method exact_method(Cpu cpu) {
  Method method;
  method.precision = Precision::fp64;
  method.cpu = cpu;
  return method;
}

std::unique_ptr<PairForces> make_pair_forces(const Method& method, const PairModel& model, PairAtoms atoms) {
  // Without skin: on a GPU every evaluation searches anew.
  if (method.backend == Backend::cuda)
    return make_pairs_cuda(method.device, method.cpu,
                           {.method = method.neighbor, .cell_share = method.cell_share, .form = method.list_form},
                           method.precision, model, atoms);
  if (method.neighbor == NeighborMethod::cells)
    return make_cells(method.cpu, method.precision, model, atoms, method.cell_share);
  if (method.neighbor == NeighborMethod::sorted_cells)
    return make_sorted_cells(method.cpu, method.precision, model, atoms, method.skin);
  if (method.neighbor == NeighborMethod::pair_list)
    return make_pair_list(method.cpu, method.precision, model, atoms, method.skin);
  return make_all_pairs(method.cpu, method.precision, model, atoms);
}

}  // namespace dropmd
