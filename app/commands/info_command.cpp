#include <fmt/core.h>

#include <ostream>
#include <string_view>
#include <utility>

#include "app/json_text.h"
#include "app/shared_options.h"
#include "core/version.h"
#include "device/communicator/nccl.h"
#include "device/device_info.h"
#include "engine/available_threads.h"
#include "engine/methods/catalogue.h"
#include "forces/mesh/cuda/transforms/transform_libraries.h"

namespace dropmd {

namespace {

std::string cuda_version(int version) {
  return version == 0 ? "none" : fmt::format("{}.{}", version / 1000, version % 1000 / 10);
}

/// Returns which libraries transform a mesh on a GPU here, and which do not and why.
std::string transform_libraries() {
  const std::string vkfft = transform_problem(TransformLibrary::vkfft),
                    cufft = transform_problem(TransformLibrary::cufft);
  const auto stated = [](std::string_view name, const std::string& problem) {
    return problem.empty() ? std::string(name) : fmt::format("not {}: {}", name, problem);
  };
  return stated("VkFFT (mixed precision)", vkfft) + "\n                 " + stated("cuFFT", cufft);
}

/// Returns how several GPUs can add up the forces of a run (docs/scaling.md).
std::string peer_libraries() {
  const std::string problem = nccl_problem();
  return "in each other's memory, " +
         (problem.empty() ? "or by NCCL " + nccl_version() : "where they can access it; not by NCCL: " + problem);
}

Json to_json(const DeviceReport& report) {
  Json::List devices;
  for (const DeviceInfo& d : report.devices)
    devices.push_back(Json{{"index", d.index},
                           {"name", d.name},
                           {"compute_capability", fmt::format("{}.{}", d.major, d.minor)},
                           {"multiprocessors", d.multiprocessors},
                           {"memory_bytes", d.memory},
                           {"memory_free_bytes", d.memory_free},
                           {"problem", d.problem}});
  Json::List methods;
  for (const MethodRecord& record : method_catalogue())
    methods.push_back(Json{{"neighbor", word_of(record.neighbor)},
                           {"needs_cutoff", record.needs_cutoff},
                           {"skin_on_cpu", record.cpu.has_skin},
                           {"skin_on_cuda", record.cuda.has_skin},
                           {"summary", record.summary}});
  return {{"version", kFullVersion},
          {"commit", kCommit},
          {"compiler", kCompiler},
          {"build_type", kBuildType},
          {"instruction_set", kInstructionSet},
          {"threads", available_threads()},
          {"cuda_build", cuda_version(report.runtime_version)},
          {"cuda_architectures", kCudaArchitectures},
          {"cuda_driver", cuda_version(report.driver_version)},
          {"vkfft_problem", transform_problem(TransformLibrary::vkfft)},
          {"cufft_problem", transform_problem(TransformLibrary::cufft)},
          {"nccl_problem", nccl_problem()},
          {"devices", devices},
          {"methods", methods},
          {"no_gpu_because", report.reason}};
}

ExitStatus run(const GivenOptions& options, Streams& streams) {
  DeviceReport report = query_devices();
  for (DeviceInfo& device : report.devices) probe_device(device);
  if (options.has("json")) {
    streams.out << json_text(to_json(report));
    return ExitStatus::done;
  }
  streams.out << fmt::format(
      "dropmd {} ({})\n  built with     {}, {}\n  instruction set {}\n  CPU threads    {}\n  CUDA           build {}, "
      "driver {}{}\n",
      kFullVersion, kCommit, kCompiler, kBuildType, kInstructionSet, available_threads(),
      cuda_version(report.runtime_version), cuda_version(report.driver_version),
      kHasCuda ? fmt::format(", architectures {}", kCudaArchitectures) : "");
  for (const DeviceInfo& d : report.devices)
    streams.out << fmt::format("  GPU {}          {}, compute capability {}.{}, {:.1f} GiB, {:.1f} GiB free{}\n",
                               d.index, d.name, d.major, d.minor, static_cast<double>(d.memory) / 0x1p30,
                               static_cast<double>(d.memory_free) / 0x1p30,
                               !d.problem.empty() ? " (not usable: " + d.problem + ")"
                               : d.index == 0     ? " (used unless --device says otherwise)"
                                                  : "");
  if (report.devices.empty()) streams.out << "  GPU            none is used: " << report.reason << '\n';
  if (kHasCuda)
    streams.out << fmt::format("  mesh on a GPU  {}\n  several GPUs   {}\n", transform_libraries(), peer_libraries());
  std::string_view heading = "methods";
  for (const MethodRecord& record : method_catalogue())
    streams.out << fmt::format("  {:14} {:13} {}{}\n", std::exchange(heading, ""), word_of(record.neighbor),
                               record.summary, record.needs_cutoff ? " (needs cutoffs)" : "");
  return ExitStatus::done;
}

}  // namespace

Command info_command() {
  return {"info",
          "",
          "version, build, processors; which GPU is used, or why none",
          {"dropmd info", "dropmd info --json"},
          [](OptionTable& options) {
            options.add({}, {{"json", "one JSON object on standard output"}});
          },
          run};
}

}  // namespace dropmd
