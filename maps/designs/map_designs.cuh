#pragma once

#include "maps/designs/map_design.h"

/// Constructors of the designs, each in its own file; the models must suit the designs.
namespace dropmd {

/// For the designs without a cutoff.
std::unique_ptr<DesignMapSum> make_ladder_map(std::string_view name, int device, const MapModel& model);
std::unique_ptr<DesignMapSum> make_large_bins_map(int device, const MapModel& model);
std::unique_ptr<DesignMapSum> make_small_bins_map(int device, Cpu cpu, const MapModel& model,
                                                  std::optional<int> capacity);

}  // namespace dropmd
