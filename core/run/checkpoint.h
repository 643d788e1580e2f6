#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/particle_fields.h"
#include "core/run/map_state.h"
#include "core/run/run_state.h"

namespace dropmd {

/// How much of an output file belongs to the steps so far.
struct FileMark {
  std::uint64_t bytes = 0;
  std::uint32_t crc = 0;  ///< CRC-32 of these bytes, as of zlib

  friend bool operator==(const FileMark&, const FileMark&) = default;
};

struct OutputMark {
  std::string name;  ///< in the output folder
  FileMark mark{};
};

/// All that a run needs to go on: nothing else is read. The fields that steps do not change are in the base.
struct Checkpoint : FieldVectors<IsConstant> {
  std::string run_file;  ///< the run as resolved, TOML
  std::string title;
  std::optional<double> radius{};  ///< the droplet's
  std::vector<std::string> species_names{};
  RunState state{};
  std::vector<MethodChoice> choices{};             ///< of a run that chose its methods, so far
  std::vector<MethodChoice> replayed{};            ///< of a run that follows those of another, all of these
  std::vector<ChoiceComment> replayed_comments{};  ///< and what that run said of them
  /// Of a run that changes its population by actions, which only the program that gave them can give again: the steps
  /// of those that are still to come, ascending. None: it has no actions, or is of a version that did not say.
  std::optional<std::vector<std::int64_t>> population_actions{};
  std::optional<MapState> map{};  ///< of a run that makes maps, from its first one on
  std::vector<OutputMark> outputs{};
};

}  // namespace dropmd
