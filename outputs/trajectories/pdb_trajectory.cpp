#include "outputs/trajectories/pdb_trajectory.h"

#include <fmt/compile.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <string>
#include <string_view>

#include "core/errors.h"
#include "outputs/trajectories/atom_labels.h"
#include "outputs/trajectories/one_file_trajectory.h"

namespace dropmd {
namespace {

/// Coordinates whose three decimals fit into eight columns.
constexpr double kLeast = -999.9995, kMost = 9999.9995;

std::string upper(std::string_view text) {
  std::string letters(text);
  for (char& c : letters) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return letters;
}

/// An element's letters end in the second of four columns; names of four letters take all of them.
std::string name_columns(std::string_view name, std::string_view element) {
  const bool indented = name.size() < 4 && element.size() < 2;
  return fmt::format("{}{}", indented ? " " : "", name.substr(0, 4));
}

class PdbTrajectory final : public OneFileTrajectory {
 public:
  PdbTrajectory(const TrajectoryTarget& target, const TrajectoryContents& contents)
      : OneFileTrajectory(target),
        n_models_(count_lines(target, "MODEL ")),
        time_scale_(contents.units.system == UnitSystem::lj ? 1 : 1e-3),
        title_(contents.title),
        labels_(contents.names) {
    std::replace_if(
        title_.begin(), title_.end(), [](char c) { return c == '\n' || c == '\r'; }, ' ');
  }

  void append(const TrajectoryFrame& frame) override {
    require_columns(frame);
    // Time and step as GROMACS' programs write and look for them.
    const std::string time = frame.time ? fmt::format(" t= {:.5f}", time_scale_ * *frame.time) : "";
    file_.write(fmt::format("TITLE     {:.55}{} step= {}\nMODEL {:8}\n", title_, time, frame.step, ++n_models_));
    for (std::size_t i = 0; i < frame.particles.size(); ++i) write_atom(frame.particles, i);
    file_.write("ENDMDL\n");
    file_.flush();
  }

 private:
  void require_columns(const TrajectoryFrame& frame) const {
    const Particles& p = frame.particles;
    for (std::size_t i = 0; i < p.size(); ++i) {
      const std::array<double, 3> x{p.position[i].x, p.position[i].y, p.position[i].z};
      for (std::size_t k = 0; k < x.size(); ++k)
        if (!(x[k] > kLeast && x[k] < kMost))
          throw UnfitFrame(
              fmt::format("{}: step {}: atom {} is at {} = {:.7g}, but a .pdb file has coordinates from -999.999 "
                          "to 9999.999 (use a trajectory that ends in .cif, .gsd or .xyz)",
                          file_.path().string(), frame.step, p.id_of(i), "xyz"[k], x[k]));
    }
  }

  void write_atom(const Particles& p, std::size_t i) {
    constexpr std::int64_t kSerials = 100'000, kResidues = 10'000;
    const AtomLabel label = labels_.of(p, i);
    line_.clear();
    fmt::format_to(fmt::appender(line_),
                   FMT_COMPILE("ATOM  {:5} {:<4} {:<4} {:4}    {:8.3f}{:8.3f}{:8.3f}{:6.2f}{:6.2f}          {:>2}\n"),
                   p.id_of(i) % kSerials, name_columns(label.name, label.element),
                   fmt::format("{:>3}", label.residue.substr(0, 4)), label.residue_number % kResidues, p.position[i].x,
                   p.position[i].y, p.position[i].z, 1.0, 0.0, upper(label.element));
    file_.write({line_.data(), line_.size()});
  }

  std::int64_t n_models_;
  double time_scale_;
  std::string title_;
  AtomLabels labels_;
  fmt::memory_buffer line_;
};

}  // namespace

std::unique_ptr<TrajectoryWriter> open_pdb_trajectory(const TrajectoryTarget& target,
                                                      const TrajectoryContents& contents) {
  return std::make_unique<PdbTrajectory>(target, contents);
}

std::uint64_t pdb_frame_bytes(std::size_t n_atoms) {
  constexpr std::uint64_t kAtom = 79, kRest = 120;
  return kRest + kAtom * n_atoms;
}

}  // namespace dropmd
