#pragma once

#include <memory>
#include <string_view>

#include "core/topology/molecular_model.h"
#include "outputs/checkpoint/hdf5_image.h"
#include "outputs/checkpoint/hdf5_reader.h"

/// The molecules of a run in its checkpoint: names, types, bonded terms, exclusions, constraints and virtual sites.
/// docs/file-formats.md has the layout.
namespace dropmd {

/// Their group; only files of runs with a topology have it.
inline constexpr std::string_view kMolecules = "/molecules";

/// Writes the group.
void write_molecules(ImageFiller& image, const MolecularModel& model);

/// Reads the group. Charges and masses are those of the present atoms, which the structure has, so these vectors are
/// empty. Throws InputError for numbers that no topology has.
std::shared_ptr<const MolecularModel> read_molecules_image(const Hdf5Reader& image);

}  // namespace dropmd
