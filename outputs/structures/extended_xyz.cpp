#include "outputs/structures/extended_xyz.h"

#include <fmt/compile.h>
#include <fmt/format.h>

#include <cstddef>
#include <string>
#include <string_view>
#include <type_traits>

#include "core/ase_units.h"

namespace dropmd {

namespace {

/// Calls visit(field) for each field that has a column and values.
template <class Visit>
void for_each_column(const Particles& particles, const Visit& visit) {
  for_each_field<EveryField>([&]<class Field>(Field field) {
    if constexpr (!Field::kColumn.empty())
      if (!Field::of(particles).empty()) visit(field);
  });
}

/// The columns that the particles have.
struct Columns {
  bool charge, mass, id;
  double momentum = 0;  ///< of a unit mass at unit velocity; 0: none are written
  std::string properties = "species:S:1";

  Columns(const Particles& particles, const Units* units, bool with_id)
      : charge(!particles.charge.empty()), mass(!particles.mass.empty()), id(with_id) {
    if (!particles.velocity.empty() && mass && units != nullptr)
      momentum = units->system == UnitSystem::real ? kAseTime : 1;
    for_each_column(particles, [&]<class Field>(Field) { (properties += ':') += Field::kColumn; });
    if (momenta()) properties += ":momenta:R:3";
    if (charge) properties += ":initial_charges:R:1";
    if (mass) properties += ":masses:R:1";
    if (id) properties += ":id:I:1";
  }
  bool momenta() const { return momentum > 0; }
};

std::string comment_line(const Columns& columns, const Units* units, const FrameHeader& header) {
  std::string text = fmt::format("Properties={} pbc=\"F F F\"", columns.properties);
  if (header.time) text += fmt::format(" Time={}", *header.time);
  if (header.step) text += fmt::format(" step={}", *header.step);
  if (units != nullptr) text += fmt::format(" units={}", units->name);
  if (header.radius) text += fmt::format(" radius={}", *header.radius);
  return text;
}

void append_atom(fmt::memory_buffer& line, const Particles& particles, std::size_t i, const Columns& columns) {
  const auto out = fmt::appender(line);
  fmt::format_to(out, FMT_COMPILE("{}"), particles.species_names[particles.species[i]]);
  for_each_column(particles, [&]<class Field>(Field) {
    const auto& value = Field::of(particles)[i];
    if constexpr (std::is_same_v<typename Field::Value, Vec3<double>>)
      fmt::format_to(out, FMT_COMPILE(" {} {} {}"), value.x, value.y, value.z);
    else
      fmt::format_to(out, FMT_COMPILE(" {}"), value);
  });
  if (columns.momenta()) {
    const Vec3<double> p = (columns.momentum * particles.mass[i]) * particles.velocity[i];
    fmt::format_to(out, FMT_COMPILE(" {:.9g} {:.9g} {:.9g}"), p.x, p.y, p.z);
  }
  if (columns.charge) fmt::format_to(out, FMT_COMPILE(" {}"), particles.charge[i]);
  if (columns.mass) fmt::format_to(out, FMT_COMPILE(" {}"), particles.mass[i]);
  if (columns.id) fmt::format_to(out, FMT_COMPILE(" {}"), particles.id_of(i));
  line.push_back('\n');
}

}  // namespace

void write_frame(FileWriter& writer, const Particles& particles, const Units* units, const FrameHeader& header) {
  const Columns columns(particles, units, header.ids);
  writer.write(fmt::format("{}\n{}\n", particles.size(), comment_line(columns, units, header)));
  fmt::memory_buffer line;
  for (std::size_t i = 0; i < particles.size(); ++i) {
    line.clear();
    append_atom(line, particles, i, columns);
    writer.write(std::string_view(line.data(), line.size()));
  }
  writer.flush();
}

}  // namespace dropmd
