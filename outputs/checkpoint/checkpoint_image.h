#pragma once

#include <string>
#include <string_view>

#include "core/run/checkpoint.h"

/// The HDF5 file in a checkpoint, in memory: what checkpoint_file.h puts behind its block.
namespace dropmd {

std::string checkpoint_image(const Checkpoint& checkpoint);

/// file: as messages name it. Throws InputError for bytes that are no checkpoint's.
Checkpoint checkpoint_of_image(const std::string& file, std::string_view bytes);

/// Where it has a per-atom field.
template <class Field>
std::string dataset_of() {
  return std::string(Field::kStored == StoredIn::state ? "/state/" : "/structure/") + std::string(Field::kName);
}

/// Where it has what was booked and belongs to no atom; there in runs whose population changes.
inline constexpr std::string_view kCarried = "/state/carried";
inline std::string dataset_of_carried(std::string_view cause) {
  return std::string(kCarried) + '/' + std::string(cause);
}

/// Where it has the steps of the population's changes to come; there in runs with such actions.
inline constexpr std::string_view kPopulationActions = "/population_actions";

/// Where it has what was booked by a cause.
inline std::string dataset_of_bookings(std::string_view cause) { return "/state/booked/" + std::string(cause); }

}  // namespace dropmd
