#include "inputs/run_file/commented_run.h"

#include <fmt/core.h>

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/run/topology_settings.h"
#include "inputs/run_file/resolved_run.h"
#include "inputs/run_file/uff_parameters.h"

namespace dropmd {
namespace {

/// Up to this many atoms, pairs have no cutoff; up to this many charges, Coulomb energies are summed exactly.
constexpr std::size_t kMostWithoutCutoff = 1'000, kMostExact = 20'000;
/// Up to this many atoms in a run of molecules, nothing has a cutoff. With more, a mesh for Coulomb terms and a cutoff
/// of van der Waals terms, without which the mesh would not pay, make steps several times faster.
constexpr std::size_t kMostWithoutMesh = 5'000;

/// Species of the atoms of droplet files and of `generate droplet`, which are of no element; their spacing fits a
/// contact distance of 2.5.
constexpr std::string_view kModelAtom = "X";

constexpr std::string_view kTemperatureOfMolecules = "300.0";

/// Lines `key = value`, with their meanings aligned in one column.
class CommentedToml {
 public:
  void line(std::string_view text) { toml_ += fmt::format("{}\n", text); }
  void section(std::string_view header, std::string_view meaning = {}) {
    line("");
    add(std::string(header), meaning);
  }
  /// A key that is set.
  void set(std::string_view key, std::string_view value, std::string_view meaning = {}) {
    add(fmt::format("{} = {}", key, value), meaning);
  }
  /// A key that may be left out, with its default.
  void otherwise(std::string_view key, std::string_view value, std::string_view meaning) {
    add(fmt::format("# {} = {}", key, value), meaning);
  }
  std::string take() { return std::move(toml_); }

 private:
  static constexpr std::size_t kColumn = 36;

  void add(const std::string& text, std::string_view meaning) {
    line(meaning.empty() ? text : fmt::format("{:<{}} # {}", text, std::max(kColumn, text.size()), meaning));
  }

  std::string toml_;
};

bool has_charges(const Structure& structure) {
  return std::any_of(structure.charge.begin(), structure.charge.end(), [](double q) { return q != 0; });
}

/// Writes a run file section by section.
class RunWriter {
 public:
  RunWriter(const Structure& structure, UnitSystem units, const std::optional<CommentedMolecules>& molecules)
      : structure_(structure), units_(units_of(units)), real_(units == UnitSystem::real), molecules_(molecules) {}

  CommentedRun write(const std::filesystem::path& structure_path) {
    top(structure_path);
    system(structure_path);
    lennard_jones();
    coulomb();
    constraints();
    wall_and_field();
    execution();
    integrator();
    run();
    droplet();
    output(structure_path);
    map();
    return {out_.take(), std::move(to_fill_in_)};
  }

 private:
  std::size_t n_atoms() const { return structure_.position.size(); }
  std::string length(double real, double lj) const { return fmt::format("{}", real_ ? real : lj); }

  void top(const std::filesystem::path& path) {
    out_.line(fmt::format("# A run of the {} atoms of {}. Commented-out keys show their defaults, or", n_atoms(),
                          toml_string(path.string())));
    out_.line("# examples if they have none: a wall's radius, unless the structure has one, and a field's strength.");
    out_.line("#   dropmd run FILE --dry-run      settings in effect, memory, disk and time");
    out_.line("#   dropmd run FILE");
    out_.line(molecules_ ? "# Bonds, masses, charges and van der Waals parameters come from the topology."
                         : "# A structure file has no bonds: every atom moves independently.");
    out_.line("");
    if (!structure_.title.empty()) out_.set("title", toml_string(structure_.title));
    out_.set("units", fmt::format("\"{}\"", units_.name),
             real_ ? "lengths in A, energies in kcal/mol, masses in g/mol, charges in e, times in fs"
                   : "lengths in sigma, energies in epsilon, masses in m, times in tau");
  }

  void system(const std::filesystem::path& path) {
    out_.section("[system]");
    out_.set("structure", toml_string(path.string()), "relative to this file");
    if (molecules_) {
      const TopologySettings& topology = molecules_->topology;
      out_.set("topology", toml_string(topology.file.string()), "relative to this file");
      std::vector<std::string> include;
      for (const std::filesystem::path& folder : topology.include) include.push_back(folder.string());
      list("include", include, "further folders for #include; relative to this file");
      list("define", topology.define, "words for the topology's preprocessor");
    }
    if (structure_.mass.empty() && !real_) out_.otherwise("mass", "1.0", "for atoms without one");
    if (structure_.velocity.empty() && structure_.momentum.empty())
      out_.set("temperature",
               molecules_ ? kTemperatureOfMolecules
               : real_    ? "100.0"
                          : "0.5",
               fmt::format("{}: initial velocities are drawn at this temperature", units_.temperature));
    else
      out_.line("# temperature                        # initial velocities come from the structure");
    out_.otherwise("random-seed", "1", "for all random numbers");
  }

  /// A list of strings, whose default is the empty list.
  void list(std::string_view key, const std::vector<std::string>& items, std::string_view meaning) {
    std::string text;
    for (const std::string& item : items) text += (text.empty() ? "" : ", ") + toml_string(item);
    text = '[' + text + ']';
    items.empty() ? out_.otherwise(key, text, meaning) : out_.set(key, text, meaning);
  }

  void lennard_jones() {
    out_.section("[lennard-jones]", "van der Waals term");
    if (n_atoms() > (molecules_ ? kMostWithoutMesh : kMostWithoutCutoff)) {
      out_.set("cutoff", length(12, 4), fmt::format("{}: pairs farther apart do not interact", units_.length));
      out_.set("at-cutoff", "\"force-shift\"", "none, cut, shift, force-shift or switch");
    } else {
      out_.otherwise("at-cutoff", "\"none\"", "cut, shift, force-shift or switch, with a cutoff");
    }
    if (molecules_) return;
    if (real_)
      out_.set("mixing", "\"geometric\"", "for unlike species, as in UFF; or lorentz-berthelot");
    else
      out_.otherwise("mixing", "\"lorentz-berthelot\"", "for unlike species; or geometric");
    for (const std::string& name : structure_.species_names) species(name);
  }

  /// Returns the known parameters of a species; nullopt if the user has to provide them.
  std::optional<UffParameters> parameters(const std::string& name) const {
    if (name == kModelAtom) return UffParameters{20, 0.2, 2.5};
    return real_ ? uff_parameters(name) : UffParameters{1, 1, 1};
  }

  static std::string_view origin(const std::string& name) {
    return name == kModelAtom
               ? "as in the program of 2009, suited to generated droplets: replace with your own values"
               : "UFF (Rappe et al. 1992), a starting point: replace with the values of your force field";
  }

  void species(const std::string& name) {
    const auto known = parameters(name);
    const bool model_atom = name == kModelAtom;
    out_.section("[[species]]", known && (real_ || model_atom) ? origin(name) : "");
    out_.set("name", toml_string(name));
    if (structure_.mass.empty() && real_) value("mass", name, known ? &known->mass : nullptr, units_.mass);
    if (structure_.charge.empty())
      out_.otherwise("charge", "0.0", fmt::format("{}; the structure gives none", units_.charge));
    value("epsilon", name, known ? &known->epsilon : nullptr, units_.energy);
    value(real_ || model_atom ? "r-min" : "sigma", name, known ? &known->r_min : nullptr,
          real_ || model_atom ? fmt::format("{}; or sigma = r-min / 2^(1/6)", units_.length)
                              : std::string(units_.length));
  }

  /// Writes a number that the species needs; null: only the user knows it.
  void value(std::string_view key, const std::string& species, const double* number, std::string_view unit) {
    if (number != nullptr) {
      out_.set(key, fmt::format("{:.6g}", *number), unit);
      return;
    }
    out_.otherwise(key, "", fmt::format("{}: FILL IN", unit));
    to_fill_in_.push_back(fmt::format("{} of {}", key, species));
  }

  void coulomb() {
    if (molecules_) {
      const bool may_have_mesh = n_atoms() > kMostWithoutMesh;
      out_.section("[coulomb]");
      out_.set("form", "\"exact\"", may_have_mesh ? "without a cutoff" : "all pairs");
      if (may_have_mesh)
        out_.set("accuracy", "1e-4", "of forces with a particle mesh, where it is faster; left out: all pairs");
      return;
    }
    const bool on = has_charges(structure_), exact = n_atoms() <= kMostExact;
    if (!on) {
      out_.section("# [coulomb]", "no atom of the structure has a charge");
      out_.otherwise("form", "\"exact\"", "all pairs; or reaction-field, shift, smoothed, dsf, cut, with a cutoff");
      return;
    }
    out_.section("[coulomb]");
    out_.set("form", exact ? "\"exact\"" : "\"reaction-field\"",
             exact ? "all pairs; or reaction-field, shift, smoothed, dsf, cut, with a cutoff"
                   : "or shift, smoothed, dsf, cut; exact has no cutoff");
    if (exact) return;
    out_.set("cutoff", length(12, 4), units_.length);
    out_.otherwise("dielectric", "1.0", "beyond the cutoff: 1 is vacuum, inf a conductor");
  }

  void constraints() {
    if (!molecules_) return;
    out_.section("[constraints]");
    if (molecules_->flexible_hydrogens)
      out_.set("bonds", "\"hydrogens\"", "of constant length, in addition to the topology's constraints; or none");
    else
      out_.otherwise("bonds", "\"none\"", "hydrogens: bonds to hydrogen, in addition to the topology's constraints");
  }

  void wall_and_field() {
    out_.section("# [wall]", "a sphere around the origin that confines evaporating atoms");
    out_.otherwise("form", "\"harmonic\"", "or quartic");
    if (structure_.radius)
      out_.otherwise("radius", fmt::format("{}", *structure_.radius),
                     fmt::format("{}; the structure's", units_.length));
    else
      out_.otherwise("radius", length(100, 30), units_.length);
    out_.otherwise("stiffness", "1.0", fmt::format("{}/{}^2", units_.energy, units_.length));
    out_.section("# [field]", "a uniform electric field");
    out_.otherwise("strength", "[0.0, 0.0, 0.1]", real_ ? "V/A" : "energy/charge/length");
    out_.otherwise("frequency", "0.0", fmt::format("1/{}: strength * cos(2 pi frequency t)", units_.time));
  }

  void execution() {
    out_.section("[neighbor]");
    out_.otherwise("method", "\"auto\"", "all-pairs, cells, sorted-cells or pair-list");
    out_.otherwise("skin", "\"auto\"", "or a length");
    out_.otherwise("tune", "false", "true: whatever is auto is chosen by timing steps");
    out_.section("[engine]");
    out_.otherwise("backend", "\"auto\"", "cpu or cuda; auto: the GPU if one is usable");
    out_.otherwise("precision", "\"mixed\"", "or double");
    out_.otherwise("device", "0", "number of the GPU");
    out_.otherwise("threads", "0", "of the CPU; 0: as many as are useful");
  }

  void integrator() {
    out_.section("[integrator]");
    if (molecules_) {
      out_.set("form", "\"langevin\"", "constant temperature; or velocity-verlet, csvr, descent, fire");
      out_.set("temperature", kTemperatureOfMolecules, units_.temperature);
      out_.otherwise("friction", "0.001", fmt::format("1/{}", units_.time));
      out_.otherwise("applies-to", "\"all\"", "or droplet, vapour, a molecule's name: what the bath acts on");
      out_.set("timestep", "2.0", units_.time);
      return;
    }
    out_.otherwise("form", "\"velocity-verlet\"", "constant energy; or langevin, csvr, descent, fire");
    out_.otherwise("timestep", length(1, 0.005), units_.time);
  }

  void run() {
    out_.section("[run]");
    out_.otherwise("steps", "1000", "");
    out_.otherwise("recenter-every", "100", "steps between moves of the droplet's centre to the origin");
    out_.otherwise("recenter", "\"geometric\"", "which centre; or mass, droplet; none with a wall");
    out_.otherwise("remove-momentum", "\"none\"", "linear, angular or both");
  }

  void output(const std::filesystem::path& path) {
    out_.section("[output]", "intervals are in steps; 0: never");
    out_.set("directory", toml_string(path.stem().string() + "-out"), "in the folder where dropmd is started");
    out_.otherwise("energy-every", "100", "rows of energy.csv");
    out_.otherwise("trajectory", "\"trajectory.xyz\"", "or .xtc, .dcd, .gsd, .pdb, .cif");
    out_.otherwise("trajectory-every", "1000", "steps between its frames");
    out_.otherwise("checkpoint-every", "10000", "checkpoint.h5, from which a run resumes");
    out_.otherwise("checkpoint-minutes", "10", "whichever comes first");
    out_.otherwise("final", fmt::format("\"{}\"", molecules_ ? kFinalOfMolecules : "final.xyz"),
                   "the last structure, with velocities");
  }

  void droplet() {
    out_.section("# [droplet]", "droplet.csv and events.csv; also needed for \"droplet\" in recenter and applies-to");
    out_.otherwise("every", "1000", "steps between labels of clusters");
    out_.otherwise("link-distance", length(3.5, 1.5), fmt::format("{}, between van der Waals sites", units_.length));
    out_.otherwise("remove-beyond", length(20, 6),
                   fmt::format("{}; clusters beyond the radius plus this leave the run", units_.length));
    out_.otherwise("profile-every", "0", "steps between radial profiles in profile.csv; 0: none");
    if (real_)
      out_.otherwise("surface-tension", "0.0693", "N/m, for the share of Rayleigh's limit (TIP4P/2005 at 300 K)");
  }

  void map() {
    out_.section("# [map]", "electrostatic potential maps during the run");
    out_.otherwise("every", "100", "steps from one map to the next");
    out_.otherwise("spacing", length(0.5, 0.2), fmt::format("{}, between points", units_.length));
    out_.otherwise("file", "\"potential.dx\"", "or .cube, .mrc, .vti");
  }

  const Structure& structure_;
  const Units& units_;
  bool real_;
  const std::optional<CommentedMolecules>& molecules_;
  CommentedToml out_;
  std::vector<std::string> to_fill_in_;
};

}  // namespace

CommentedRun commented_run(const Structure& structure, UnitSystem units, const std::filesystem::path& structure_path,
                           const std::optional<CommentedMolecules>& molecules) {
  return RunWriter(structure, units, molecules).write(structure_path);
}

}  // namespace dropmd
