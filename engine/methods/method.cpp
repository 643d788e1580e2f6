#include "engine/methods/method.h"

#include <fmt/core.h>

#include <algorithm>

#include "device/communicator/run_ranks.h"
#include "device/device_info.h"
#include "engine/available_threads.h"
#include "engine/methods/catalogue.h"
#include "forces/pair/mixed_precision.h"
#include "inputs/run_file/choice_words.h"
#include "inputs/run_file/run_config.h"

namespace dropmd {

namespace {

/// Returns the skin if no cost model is used.
double skin_for(const RunConfig& config, const PairModel& model, NeighborMethod neighbor) {
  if (!has_cutoff(model)) return 0;
  return config.skin.value_or(record_of(neighbor).usual_skin * model.cutoff());
}

NeighborMethod usual_method(Backend backend, const PairModel& model, std::size_t n_atoms) {
  NeighborMethod usual = NeighborMethod::automatic;
  for (const MethodRecord& record : method_catalogue())
    if (record.suits(model) && n_atoms >= record.on(backend).usual_from) usual = record.neighbor;
  return usual;
}

/// Returns as many threads as requested; otherwise all, but fewer if threads would have so few atoms that waiting for
/// them costs more than they save.
Cpu cpu_for(const RunConfig& config, std::size_t n_atoms) {
  constexpr std::size_t kAtomsPerThread = 500;
  if (config.threads > 0) return {config.threads};
  const std::size_t useful = std::max<std::size_t>(1, n_atoms / kAtomsPerThread);
  return {static_cast<int>(std::min<std::size_t>(useful, static_cast<std::size_t>(available_threads())))};
}

std::string cpu_name(Cpu cpu) {
  return "CPU, " + std::to_string(cpu.threads) + (cpu.threads == 1 ? " thread" : " threads");
}

/// Throws InputError if the precision does not keep its error bounds for the model.
void require_precision(const RunConfig& config, const PairModel& model, Precision precision) {
  if (precision == Precision::fp64 || suits_mixed_precision(model)) return;
  const double cutoff = model.lj->at("cutoff"), from = model.lj->at("switch-from");
  const std::string what = fmt::format(
      "'switch-from' in [lennard-jones] leaves a window of {:.3g}% of the cutoff, in which mixed precision loses its "
      "digits (use at most {:.6g}, or precision = \"double\")",
      100 * (1 - from / cutoff), last_mixed_switch(cutoff));
  const SourcePlace place = config.lennard_jones ? config.lennard_jones->switch_from_place : SourcePlace{};
  throw place.file.empty() ? InputError(what) : InputError(place, what);
}

void require_cutoffs(const RunConfig& config, const PairModel& model) {
  if (!needs_cutoff(config.neighbor) || has_cutoff(model)) return;
  const std::string what = "neighbor method '" + std::string(word_of(config.neighbor)) +
                           "' needs a cutoff for every pair term (use all-pairs, or give cutoffs)";
  throw config.neighbor_place.file.empty() ? InputError(what) : InputError(config.neighbor_place, what);
}

void choose_backend(const RunConfig& config, Method& method) {
  method.device = config.device;
  method.ranks = config.ranks;
  method.backend = Backend::cpu;
  if (config.backend == Backend::cpu) return;
  if (config.backend == Backend::cuda) {
    method.device_name = require_device(config.device).name;
    method.backend = Backend::cuda;
    for (const int device : config.devices) require_device(device);
    if (config.devices.size() > 1) method.devices = config.devices;
    const std::size_t n_gpus = config.ranks != nullptr ? static_cast<std::size_t>(config.ranks->size())
                                                       : std::max<std::size_t>(1, config.devices.size());
    if (n_gpus > 1) method.device_name = std::to_string(n_gpus) + " × " + method.device_name;
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

std::string_view word_of(Backend backend) { return word_of_value(kBackendWords, backend); }
std::string_view word_of(Precision precision) { return word_of_value(kPrecisionWords, precision); }
std::string_view word_of(NeighborMethod method) { return word_of_value(kNeighborWords, method); }
std::string_view word_of(ListForm form) { return word_of_value(kListFormWords, form); }

int multiprocessors_of(const Method& method) {
  const int all = require_device(method.device).multiprocessors;
  return method.multiprocessors > 0 ? std::min(all, method.multiprocessors) : all;
}

Method choose_method(const RunConfig& config, const PairModel& model, std::size_t n_atoms) {
  Method method;
  method.multiprocessors = config.multiprocessors;
  method.precision = config.precision;
  method.cpu = cpu_for(config, n_atoms);
  method.neighbor = config.neighbor;
  require_cutoffs(config, model);
  require_precision(config, model, config.precision);
  choose_backend(config, method);
  if (method.neighbor == NeighborMethod::automatic) method.neighbor = usual_method(method.backend, model, n_atoms);
  method.skin = skin_for(config, model, method.neighbor);
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
  require_cutoffs(config, model);
  if (only) require_precision(config, model, *only);
  std::vector<Method> methods;
  const Cpu cpu = cpu_for(config, n_atoms);
  const auto add_all = [&](Backend backend, const std::string& device_name) {
    for (const MethodRecord& record : method_catalogue()) {
      const bool named = config.neighbor == NeighborMethod::automatic || config.neighbor == record.neighbor;
      if (!named || !record.suits(model)) continue;
      const double skin = skin_for(config, model, record.neighbor);
      for (const Precision precision : {Precision::fp64, Precision::mixed})
        if (only ? *only == precision : precision == Precision::fp64 || suits_mixed_precision(model))
          methods.push_back({.backend = backend,
                             .neighbor = record.neighbor,
                             .precision = precision,
                             .device = config.device,
                             .devices = config.devices.size() > 1 ? config.devices : std::vector<int>{},
                             .ranks = config.ranks,
                             .cpu = cpu,
                             .device_name = device_name,
                             .note = {},
                             .skin = skin,
                             .multiprocessors = config.multiprocessors});
    }
  };
  if (config.backend != Backend::cuda) add_all(Backend::cpu, cpu_name(cpu));
  if (config.backend == Backend::cuda) require_device(config.device);
  std::string reason;
  if (config.backend != Backend::cpu)
    if (const auto device = find_device(config.device, reason)) add_all(Backend::cuda, device->name);
  return methods;
}

Method exact_method(Cpu cpu) {
  Method method;
  method.precision = Precision::fp64;
  method.cpu = cpu;
  return method;
}

}  // namespace dropmd
