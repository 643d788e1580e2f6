#include <fmt/core.h>

#include <algorithm>
#include <functional>
#include <optional>
#include <ostream>

#include "app/charges_input.h"
#include "app/json_text.h"
#include "app/option_values.h"
#include "app/shared_options.h"
#include "core/counted_noun.h"
#include "core/version.h"
#include "engine/droplet/clusters.h"
#include "engine/droplet/frame_clusters.h"
#include "outputs/clusters_csv.h"

namespace dropmd {

namespace {

void add_options(OptionTable& options) {
  add_file_argument(options);
  add_units_option(options);
  add_common_options(options);
  options.add({},
              {{"link-distance",
                "molecules with sites nearer than this link (default: the run file's, else 3.5 A or 1.5 sigma)", "D"},
               {"trajectory", "show the droplet in each frame of this trajectory of the same atoms", "FILE"}});
}

/// Charges that are all 0 say nothing.
KnownOfAtoms known_of(const ChargesInput& input, const System& system) {
  const std::vector<double>& charge = system.particles.charge;
  return {std::any_of(charge.begin(), charge.end(), [](double q) { return q != 0; }), input.masses_are_known};
}

/// Returns the distance of the option, or that of the run.
double link_distance_of(const GivenOptions& options, const ChargesInput& input, UnitSystem units) {
  return options.has("link-distance") ? real_option(options, "link-distance", Zero::excluded)
                                      : link_distance(input.config.droplet.value_or(DropletSettings{}), units);
}

ClusterCensus census_of(const GivenOptions& options, const ChargesInput& input, const System& system) {
  return census_of(input.is_bare() ? molecules_of(system, input.structure) : molecules_of(system), system.particles,
                   link_distance_of(options, input, system.units.system));
}

std::optional<double> if_known(bool known, double value) { return known ? std::optional(value) : std::nullopt; }

Json to_json(const ClusterCensus& census, KnownOfAtoms known, const Units& units) {
  const ClusterMeasure& d = census.droplet;
  Json::List sizes;
  for (const std::uint32_t size : census.clusters.size) sizes.push_back(std::uint64_t{size});
  return Json::Object{{"n_clusters", census.clusters.size.size()},
                      {"units", units.name},
                      {"link_distance", census.link_distance},
                      {"droplet", Json::Object{{"molecules", d.molecules},
                                               {"atoms", d.atoms},
                                               {"charge", if_known(known.charge, d.charge)},
                                               {"mass", if_known(known.mass, d.mass)},
                                               {"centre", Json::List{d.centre.x, d.centre.y, d.centre.z}},
                                               {"radius", d.radius},
                                               {"radius_of_gyration", d.radius_of_gyration},
                                               {"gyration", Json::List{d.gyration.x, d.gyration.y, d.gyration.z}}}},
                      {"sizes", std::move(sizes)},
                      {"version", kVersion}};
}

constexpr CountedNoun kClusters{"cluster", "clusters"}, kMolecules{"molecule", "molecules"}, kAtoms{"atom", "atoms"};

/// Returns "12 clusters of 1 molecule, 1 cluster of 3 molecules": how many clusters besides the droplet have which
/// size.
std::string sizes_text(const std::vector<std::uint32_t>& size) {
  std::string text;
  for (std::size_t end = size.size(); end > 1;) {
    const auto first = std::lower_bound(size.begin() + 1, size.begin() + static_cast<std::ptrdiff_t>(end),
                                        size[end - 1], std::greater<>());
    const auto begin = static_cast<std::size_t>(first - size.begin());
    text += fmt::format("{}{} {} of {} {}", text.empty() ? "" : ", ", end - begin, kClusters.of(end - begin),
                        size[end - 1], kMolecules.of(size[end - 1]));
    end = begin;
  }
  return text;
}

std::string to_text(const ClusterCensus& census, KnownOfAtoms known, const Units& units) {
  const ClusterMeasure& d = census.droplet;
  const std::size_t n = census.clusters.size.size(), n_molecules = census.molecules.size();
  std::string text = fmt::format("{} {} of {} {}, linked below {:g} {}\n  droplet  {} {}, {} {}", n, kClusters.of(n),
                                 n_molecules, kMolecules.of(n_molecules), census.link_distance, units.length,
                                 d.molecules, kMolecules.of(d.molecules), d.atoms, kAtoms.of(d.atoms));
  if (known.charge) text += fmt::format(", charge {:.6g}", d.charge + 0.0);
  if (known.mass) text += fmt::format(", mass {:.8g}", d.mass);
  text += fmt::format("\n  centre   {:.6g} {:.6g} {:.6g} {}; radius {:.5g}, radius of gyration {:.5g}\n", d.centre.x,
                      d.centre.y, d.centre.z, units.length, d.radius, d.radius_of_gyration);
  if (!known.mass) text += "           (without masses all atoms count equally)\n";
  if (n > 1) text += fmt::format("  others   {}\n", sizes_text(census.clusters.size));
  return text;
}

std::string frame_text(const FrameRow& row, KnownOfAtoms known, const Units& units) {
  const DropletRow& d = row.droplet;
  const std::string time = row.time ? fmt::format("t {:g} {}  ", *row.time, units.time) : std::string();
  return fmt::format("frame {}  {}{} {}  droplet {} {}{}, radius {:.5g} {}\n", row.frame, time, d.clusters,
                     kClusters.of(d.clusters), d.molecules, kMolecules.of(d.molecules),
                     known.charge ? fmt::format(", charge {:.6g}", d.charge + 0.0) : "", d.radius, units.length);
}

Json frame_json(const FrameRow& row, KnownOfAtoms known) {
  const DropletRow& d = row.droplet;
  return Json::Object{{"frame", row.frame},
                      {"time", row.time},
                      {"n_clusters", d.clusters},
                      {"molecules", d.molecules},
                      {"atoms", d.atoms},
                      {"charge", if_known(known.charge, d.charge)},
                      {"mass", if_known(known.mass, d.mass)},
                      {"centre", Json::List{d.centre.x, d.centre.y, d.centre.z}},
                      {"radius", d.radius},
                      {"gyration", Json::List{d.gyration.x, d.gyration.y, d.gyration.z}}};
}

ExitStatus run_on_frames(const GivenOptions& options, Streams& streams, const ChargesInput& input,
                         const System& system) {
  FrameClusters frames(system, input.is_bare() ? &input.structure : nullptr, options.text("trajectory"),
                       link_distance_of(options, input, system.units.system));
  const KnownOfAtoms known = known_of(input, system);
  std::vector<FrameRow> rows;
  Json::List list;
  while (std::optional<FrameRow> row = frames.next()) {
    if (options.has("json"))
      list.push_back(frame_json(*row, known));
    else if (!options.has("quiet"))
      streams.out << frame_text(*row, known, system.units);
    rows.push_back(*row);
  }
  show_warnings(frames.warnings(), options, streams);
  if (options.has("output")) write_frames_csv(options.text("output"), rows, known, system.units, options.has("force"));
  if (options.has("json"))
    streams.out << json_text(
        Json::Object{{"units", system.units.name}, {"frames", std::move(list)}, {"version", kVersion}});
  return ExitStatus::done;
}

ExitStatus run(const GivenOptions& options, Streams& streams) {
  const ChargesInput input = read_charges_input(options, "clusters");
  require_free_outputs(options, input.config, {}, {"trajectory"});
  const System system = input.system();
  show_warnings(system.warnings, options, streams);
  if (options.has("trajectory")) return run_on_frames(options, streams, input, system);
  const ClusterCensus census = census_of(options, input, system);
  if (options.has("output")) {
    std::vector<ClusterRow> rows;
    for (std::size_t k = 0; k < census.molecules.size(); ++k)
      rows.push_back({census.molecules.id[k], census.molecules.first_atom[k] + 1, census.clusters.number[k] + 1});
    write_clusters_csv(options.text("output"), rows, options.has("force"));
  }
  if (options.has("json"))
    streams.out << json_text(to_json(census, known_of(input, system), system.units));
  else if (!options.has("quiet"))
    streams.out << to_text(census, known_of(input, system), system.units);
  return ExitStatus::done;
}

}  // namespace

Command clusters_command() {
  return {
      "clusters",
      "FILE",
      "clusters of a structure or of a trajectory: sizes, charges, which is the droplet",
      {"dropmd clusters inputs/samples/water-na.toml",
       "dropmd clusters inputs/samples/lj-cluster-13.toml --trajectory inputs/samples/lj-cluster-13.xyz -o frames.csv",
       "dropmd clusters inputs/samples/water-na.gro --json",
       "dropmd clusters inputs/samples/droplet-4139.drop --units real --link-distance 4 -o clusters.csv"},
      add_options,
      run};
}

}  // namespace dropmd
