#include "engine/jobs/same_run.h"

#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/errors.h"
#include "core/version.h"
#include "engine/model/invariance.h"
#include "forces/mesh/cuda/transforms/transform_libraries.h"
#include "inputs/run_file/resolved_run.h"

namespace dropmd {

namespace {

/// Returns a number that almost certainly differs where the bytes do. The same program computes it in all ranks;
/// otherwise `program` differs.
std::string digest(std::string_view bytes) { return std::to_string(std::hash<std::string_view>{}(bytes)); }

template <class Values>
std::string digest_of_values(const Values& values) {
  return digest({reinterpret_cast<const char*>(values.data()), values.size() * sizeof(values[0])});
}

/// Returns the configuration without what may differ between ranks: where they compute, and where results go.
RunConfig without_place(RunConfig config) {
  config.device = 0;
  config.devices.clear();
  config.threads = 0;
  config.output_directory.clear();
  return config;
}

std::string digest_of(const Particles& particles) {
  std::string all;
  for_each_field<EveryField>([&]<class Field>(Field) { all += digest_of_values(Field::of(particles)) + ' '; });
  return all;
}

}  // namespace

void require_same_run(RunRanks& ranks, const RunConfig& config, const System& system, std::int64_t step) {
  std::string mesh, transforms;
  if (system.mesh) {
    mesh = digest_of_values(system.mesh->numbers());
    for (const TransformLibrary library : {TransformLibrary::vkfft, TransformLibrary::cufft})
      transforms += transform_problem(library).empty() ? '1' : '0';
  }
  const std::vector<std::pair<std::string, std::string>> parts{
      {"program", std::string(kFullVersion)},
      {"run file", digest(resolved_run_toml(without_place(config), invariance_of(system)))},
      {"first step", std::to_string(step)},
      {"atoms or initial velocities", digest_of(system.particles)},
      {"mesh", mesh},
      {"libraries for transforms of a mesh (dropmd info shows them)", transforms}};
  for (const auto& [name, mine] : parts) {
    const std::vector<std::string> all = ranks.gather(mine);
    for (std::size_t rank = 1; rank < all.size(); ++rank)
      if (all[rank] != all[0])
        throw InputError("ranks 0 and " + std::to_string(rank) + " do not have the same " + name +
                         " (all ranks perform one run: they need the same versions of all files, the same program, and "
                         "the same kind of processor; for many runs: dropmd ensemble)");
  }
}

}  // namespace dropmd
