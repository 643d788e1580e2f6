#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <ostream>

#include "app/charges_input.h"
#include "app/commands/map_work.h"
#include "app/json_text.h"
#include "app/map_options.h"
#include "app/option_values.h"
#include "app/shared_options.h"
#include "core/clock.h"
#include "core/terminal_text.h"
#include "core/version.h"
#include "engine/centre.h"
#include "engine/jobs/map_job.h"
#include "inputs/run_file/choice_words.h"
#include "inputs/run_file/run_config.h"
#include "outputs/maps/map_file.h"
#include "outputs/maps/map_slice.h"
#include "outputs/maps/radial_csv.h"

namespace dropmd {

namespace {

void add_options(OptionTable& options) {
  add_file_argument(options);
  add_units_option(options);
  add_processor_options(options);
  add_common_options(options);
  add_map_options(options);
  options.add("pictures", {{"png", "draw a slice of the map", "FILE"},
                           {"slice", "of --png, such as z=0 (default z=0)", "AXIS=AT"},
                           {"limit", "colours of --png go from -V to V (default: of 98% of the points)", "V"},
                           {"radial", "radial average about the atoms' centre as CSV: r,potential,points", "FILE"},
                           {"radial-width", "of a shell of --radial (default the longest spacing)", "D"}});
  options.add({}, {{"dry-run", "show grid, memory and time; compute nothing"}});
}

SliceOptions slice_options(const GivenOptions& options) {
  SliceOptions slice;
  if (options.has("limit")) slice.limit = real_option(options, "limit", Zero::excluded);
  if (!options.has("slice")) return slice;
  const std::string& text = options.text("slice");
  const auto [end, error] =
      std::from_chars(text.data() + std::min<std::size_t>(2, text.size()), text.data() + text.size(), slice.coordinate);
  const std::size_t axis = text.empty() ? std::string::npos : std::string("xyz").find(text[0]);
  if (axis == std::string::npos || text.size() < 3 || text[1] != '=' || error != std::errc{} ||
      end != text.data() + text.size() || !std::isfinite(slice.coordinate))
    throw UsageError("--slice: '" + text + "' is not a plane (such as z=0 or x=-2.5)");
  constexpr MapAxis kAxes[] = {MapAxis::x, MapAxis::y, MapAxis::z};
  slice.axis = kAxes[axis];
  return slice;
}

/// The outputs of the command, checked before any work.
struct Outputs {
  SliceOptions slice;
  double radial_width;

  Outputs(const GivenOptions& options, const RunConfig& config, const MapChoices& choices, const MapGrid& grid) {
    if (!options.has("output") && !options.has("png") && !options.has("radial") && !options.has("dry-run"))
      throw UsageError("map needs something to write (-o FILE.dx, --png FILE.png or --radial FILE.csv)");
    if (options.has("output") && std::filesystem::path(options.text("output")).extension() == ".png")
      throw UsageError(
          fmt::format("-o {0} is for the map's numbers (--png {0} for a picture)", options.text("output")));
    if (options.has("output")) require_map_format(options.text("output"), choices.field);
    if (!options.has("png") && (options.has("slice") || options.has("limit")))
      throw UsageError("--slice and --limit are of no use without --png FILE");
    if (!options.has("radial") && options.has("radial-width"))
      throw UsageError("--radial-width is of no use without --radial FILE");
    slice = slice_options(options);
    radial_width = std::max({grid.spacing.x, grid.spacing.y, grid.spacing.z});
    if (options.has("radial-width")) radial_width = real_option(options, "radial-width", Zero::excluded);
    if (options.has("dry-run") && options.has("json")) throw UsageError("--dry-run and --json cannot be combined");
    if (options.has("png")) require_map_slice(options.text("png"), grid, slice);
    require_free_outputs(options, config, {"png", "radial"});
  }
};

std::string sizes_text(const MapGrid& grid, const MapChoices& choices, const Units& units) {
  const MapGrid& g = grid;
  return fmt::format(
      "  grid {} x {} x {} = {} points, spacing {:g} {:g} {:g} {}, origin {:g} {:g} {:g}\n"
      "  memory {:.4g} MB\n",
      g.points.x, g.points.y, g.points.z, g.n_points(), g.spacing.x, g.spacing.y, g.spacing.z, units.length, g.origin.x,
      g.origin.y, g.origin.z, map_bytes(grid, choices.field) / 1e6);
}

/// Returns the estimated time for the whole grid, from a cube of points in its middle.
double estimated_seconds(const Method& method, const MapModel& model, const MapGrid& grid, MapCharges charges) {
  static constexpr std::int32_t kSide = 32;
  MapGrid part = grid;
  const auto cut = [](std::int32_t& points, double& origin, double spacing) {
    const std::int32_t kept = std::min(points, kSide);
    const std::int32_t before = (points - kept) / 2;
    origin += before * spacing;
    points = kept;
  };
  cut(part.points.x, part.origin.x, grid.spacing.x);
  cut(part.points.y, part.origin.y, grid.spacing.y);
  cut(part.points.z, part.origin.z, grid.spacing.z);
  const auto sum = make_map_sum(method, model);
  sum->compute(part, charges);  // the first computation warms up
  const double start = steady_seconds();
  sum->compute(part, charges);
  return (steady_seconds() - start) * static_cast<double>(grid.n_points()) / static_cast<double>(part.n_points());
}

struct MapReport {
  Json::Object json;
  std::string text;
};

Json mesh_json(const MapMeshResult& mesh, double accuracy) {
  const MeshParameters& p = mesh.parameters;
  return {{"accuracy", accuracy},
          {"cutoff", p.cutoff},
          {"spacing", p.spacing},
          {"order", p.order},
          {"points", Json::List{mesh.points[0], mesh.points[1], mesh.points[2]}},
          {"charges_outside", mesh.outside},
          {"estimated_error", mesh.estimated_error},
          {"measured_error", mesh.measured_error}};
}

/// What a computation has besides the map.
struct MapCounts {
  std::uint64_t near_points, evaluations;
  std::optional<MapMeshResult> mesh;
};

MapReport report(const PotentialMap& map, const MapCounts& counts, const MapChoices& choices, const Method& method,
                 const Units& units, double seconds) {
  const auto [low, high] = std::minmax_element(map.potential.begin(), map.potential.end());
  const MapGrid& g = map.grid;
  const auto triple = [](const auto& v) { return Json(Json::List{v.x, v.y, v.z}); };
  const double rate = static_cast<double>(counts.evaluations) / seconds;
  std::string of_mesh;
  if (counts.mesh)
    of_mesh = fmt::format("  {}\n  error {:.2g} of the RMS potential (estimated {:.2g})\n",
                          describe(*counts.mesh, units), counts.mesh->measured_error, counts.mesh->estimated_error);
  return {{{"units", units.name},
           {"backend", word_of(method.backend)},
           {"device", method.device_name},
           {"precision", word_of(method.precision)},
           {"method", word_of_value(kMapMethodWords, choices.method())},
           {"form", choices.coulomb.form},
           {"cutoff", choices.coulomb.has("cutoff") ? std::optional(choices.coulomb.at("cutoff")) : std::nullopt},
           {"mesh", counts.mesh ? mesh_json(*counts.mesh, *choices.accuracy) : Json(std::optional<double>{})},
           {"origin", triple(g.origin)},
           {"spacing", triple(g.spacing)},
           {"points", triple(g.points)},
           {"unit", map.unit},
           {"potential_min", *low},
           {"potential_max", *high},
           {"near_points", counts.near_points},
           {"evaluations", counts.evaluations},
           {"seconds", seconds},
           {"version", kVersion}},
          fmt::format("{}, {} precision, {:.3g} s, {:.3g} G pairs of atom and point/s\n"
                      "  {}\n{}  potential {:.6g} to {:.6g} {}\n  {} points nearer than {:g} {} to an atom\n",
                      method.device_name, word_of(method.precision), seconds, rate / 1e9, map.title, of_mesh, *low,
                      *high, map.unit, counts.near_points, choices.nearest, units.length)};
}

/// The files of a map that were written.
struct Written {
  Json::List files;
  std::string text;
};

Written write_files(const GivenOptions& options, const Outputs& outputs, const PotentialMap& map,
                    const Particles& atoms, Cpu cpu) {
  const bool overwrite = options.has("force");
  Written written;
  const auto wrote = [&](const std::string& option) {
    written.files.emplace_back(options.text(option));
    written.text += "  wrote " + without_commands(options.text(option)) + '\n';
  };
  if (options.has("output")) {
    write_map_file(options.text("output"), map, map_atoms_of(atoms), overwrite);
    wrote("output");
  }
  if (options.has("png")) {
    write_map_slice(options.text("png"), map, map_atoms_of(atoms), outputs.slice, overwrite);
    wrote("png");
  }
  if (options.has("radial")) {
    write_radial_csv(options.text("radial"), map, centre_of(cpu, atoms, Recenter::geometric), outputs.radial_width,
                     overwrite);
    wrote("radial");
  }
  return written;
}

std::string dry_run_text(const MapGrid& grid, const MapChoices& choices, const MapModel& model, const Method& method,
                         const Units& units, MapCharges charges) {
  std::string text = sizes_text(grid, choices, units);
  double seconds = 0;
  if (model.mesh) {
    const MapMeshPlan plan = map_mesh_plan(method, model, grid, charges);
    text += fmt::format("  {}\n", describe(plan, method, units));
    seconds = map_seconds(plan, method);
  } else {
    seconds = estimated_seconds(method, model, grid, charges);
  }
  return text + fmt::format("  about {:.3g} s on {}\n", seconds, method.device_name);
}

ExitStatus run(const GivenOptions& options, Streams& streams) {
  ChargesInput input = read_charges_input(options, "map");
  RunConfig& config = input.config;
  apply_method_options(options, config);
  show_config(config, options, streams);
  const System system = input.system();
  show_warnings(system.warnings, options, streams);
  const Particles& atoms = system.particles;
  const MapChoices choices = map_choices(options, system.units, usual_map_choices(config));
  const MapModel model = map_model(choices, system.units);
  const MapGrid grid = map_grid(choices, atoms.position);
  const Outputs outputs(options, config, choices, grid);
  const Method method = choose_processor(config);
  const bool quiet = options.has("quiet");
  if (!method.note.empty() && !quiet) streams.err << "dropmd: " << method.note << '\n';
  if (!quiet && std::all_of(atoms.charge.begin(), atoms.charge.end(), [](double q) { return q == 0; }))
    streams.err << "dropmd: warning: no atom has a charge: the potential is zero everywhere (a run file sets the "
                   "charges with its "
                   "topology or [[species]])\n";
  const MapCharges charges{atoms.position, atoms.charge};
  if (model.mesh) require_map_accuracy(model.mesh->accuracy, method.precision);
  if (options.has("dry-run")) {
    streams.out << dry_run_text(grid, choices, model, method, system.units, charges);
    return ExitStatus::done;
  }

  require_map_memory(grid, choices.field);

  const double start = steady_seconds();
  MapValues values;
  const ExitStatus end = do_map_work(options, streams, [&](const MapProgress& progress) {
    values = make_map_sum(method, model)->compute(grid, charges, progress);
  });
  if (end != ExitStatus::done) return end;
  const double seconds = steady_seconds() - start;
  const MapCounts counts{values.near_points, values.evaluations, values.mesh};
  if (counts.mesh && counts.mesh->measured_error > *choices.accuracy && !quiet)
    streams.err << fmt::format(
        "dropmd: warning: the error of the map is {:.2g} of the RMS potential, more than the accuracy of {:g}\n",
        counts.mesh->measured_error, *choices.accuracy);
  const PotentialMap map = potential_map(choices, system.units, grid, std::move(values));
  const Written written = write_files(options, outputs, map, atoms, method.cpu);
  MapReport said = report(map, counts, choices, method, system.units, seconds);
  said.json.insert(said.json.begin(), {"n_atoms", atoms.size()});
  said.json.push_back({"files", written.files});
  if (options.has("json"))
    streams.out << json_text(said.json);
  else if (!quiet)
    streams.out << fmt::format("{} atoms, units {}, ", atoms.size(), system.units.name) << said.text
                << sizes_text(grid, choices, system.units) << written.text;
  return ExitStatus::done;
}

}  // namespace

Command map_command() {
  return {"map",
          "FILE",
          "electrostatic potential map of a droplet's charges",
          {"dropmd map inputs/samples/droplet-4139.toml --spacing 2 -o potential.dx",
           "dropmd map inputs/samples/droplet-4139.toml --cutoff 12 --spacing 1 --padding 2 -o potential.vti",
           "dropmd map inputs/samples/droplet-4139.toml --spacing 2 --png slice.png --slice z=1 --radial radial.csv",
           "dropmd map inputs/samples/droplet-4139.toml --method mesh --spacing 2 -o potential.mrc",
           "dropmd map inputs/samples/droplet-4139.drop --dry-run --spacing 0.25"},
          add_options,
          run};
}

}  // namespace dropmd
