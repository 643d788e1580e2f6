#pragma once

#include <cstdint>
#include <span>

#include "core/particles.h"

namespace dropmd {

/// Returns some of the particles, with their ids. index: indices of those, in the order in which they are returned.
inline Particles part_of(const Particles& particles, std::span<const std::uint32_t> index) {
  Particles part;
  for_each_field<EveryField>([&]<class Field>(Field) {
    const auto& values = Field::of(particles);
    if (values.empty()) return;
    Field::of(part).reserve(index.size());
    for (const std::uint32_t i : index) Field::of(part).push_back(values[i]);
  });
  part.species_names = particles.species_names;
  part.id.clear();
  for (const std::uint32_t i : index) part.id.push_back(particles.id_of(i));
  return part;
}

}  // namespace dropmd
