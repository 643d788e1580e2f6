#pragma once

#include "maps/designs/map_design.h"

/// The makers of the designs, each in a file of its own; models are such as the designs take.
namespace dropmd {

/// Of the designs without a cutoff.
std::unique_ptr<DesignMapSum> make_ladder_map(std::string_view name, int device, const MapModel& model);
std::unique_ptr<DesignMapSum> make_large_bins_map(int device, const MapModel& model);
std::unique_ptr<DesignMapSum> make_small_bins_map(int device, Cpu cpu, const MapModel& model,
                                                  std::optional<int> capacity);

}  // namespace dropmd
