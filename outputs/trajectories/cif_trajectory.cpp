#include "outputs/trajectories/cif_trajectory.h"

#include <fmt/compile.h>
#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>

#include "outputs/trajectories/atom_labels.h"
#include "outputs/trajectories/one_file_trajectory.h"

namespace dropmd {
namespace {

/// How the comment before a frame begins.
constexpr std::string_view kFrameBegin = "# step= ";

/// The items that gemmi, MDAnalysis, OVITO, Biopython and OpenMM look for; OpenMM tells residues apart by label_seq_id.
constexpr std::string_view kItems =
    "loop_\n"
    "_atom_site.group_PDB\n"
    "_atom_site.id\n"
    "_atom_site.type_symbol\n"
    "_atom_site.label_atom_id\n"
    "_atom_site.label_alt_id\n"
    "_atom_site.label_comp_id\n"
    "_atom_site.label_asym_id\n"
    "_atom_site.label_entity_id\n"
    "_atom_site.label_seq_id\n"
    "_atom_site.pdbx_PDB_ins_code\n"
    "_atom_site.Cartn_x\n"
    "_atom_site.Cartn_y\n"
    "_atom_site.Cartn_z\n"
    "_atom_site.occupancy\n"
    "_atom_site.B_iso_or_equiv\n"
    "_atom_site.auth_seq_id\n"
    "_atom_site.auth_asym_id\n"
    "_atom_site.pdbx_PDB_model_num\n";

/// CIF 1.1 has only the printable characters of ASCII.
std::string printable(std::string_view text) {
  std::string result(text);
  for (char& c : result)
    if (c < ' ' || c > '~') c = c == '\t' || c == '\n' || c == '\r' ? ' ' : '?';
  return result;
}

/// Returns a text as a value of a loop, in quotes where it must be.
std::string value_of(std::string_view text) {
  if (text.empty()) return ".";
  std::string value = printable(text);
  constexpr std::string_view kFirstOfOthers = "_#$'\"[];.?";
  const bool is_word = kFirstOfOthers.find(value.front()) == std::string_view::npos && value.find('_') == value.npos;
  if (is_word && value.find(' ') == value.npos) return value;
  const char quote = value.find('\'') == value.npos ? '\'' : '"';
  std::replace(value.begin(), value.end(), quote, '?');  // a name with both kinds of quotes
  return quote + value + quote;
}

class CifTrajectory final : public OneFileTrajectory {
 public:
  CifTrajectory(const TrajectoryTarget& target, const TrajectoryContents& contents)
      : OneFileTrajectory(target),
        n_frames_(count_lines(target, kFrameBegin)),
        time_scale_(contents.units.system == UnitSystem::lj ? 1 : 1e-3),
        header_(fmt::format("data_dropmd\n# units: {}\n_entry.id dropmd\n_struct.entry_id dropmd\n_struct.title\n"
                            ";{}\n;\n{}",
                            contents.units.system == UnitSystem::lj ? "lj" : "real (t in ps)",
                            printable(contents.title), kItems)),
        labels_(contents.names) {}

  void append(const TrajectoryFrame& frame) override {
    if (n_frames_ == 0) file_.write(header_);
    const Particles& p = frame.particles;
    file_.write(fmt::format("{}{} atoms= {}", kFrameBegin, frame.step, p.size()));
    file_.write(frame.time ? fmt::format(" t= {:.10g}\n", time_scale_ * *frame.time) : "\n");
    ++n_frames_;
    for (std::size_t i = 0; i < p.size(); ++i) write_atom(p, i);
    file_.flush();
  }

 private:
  void write_atom(const Particles& p, std::size_t i) {
    const AtomLabel label = labels_.of(p, i);
    const Vec3<double>& x = p.position[i];
    line_.clear();
    fmt::format_to(fmt::appender(line_), FMT_COMPILE("ATOM {} {} {} . {} A 1 {} ? {:.4f} {:.4f} {:.4f} 1 0 {} A {}\n"),
                   p.id_of(i), label.element.empty() ? "X" : label.element, value_of(label.name),
                   value_of(label.residue), label.residue_number, x.x, x.y, x.z, label.residue_number, n_frames_);
    file_.write({line_.data(), line_.size()});
  }

  std::int64_t n_frames_;
  double time_scale_;
  std::string header_;
  AtomLabels labels_;
  fmt::memory_buffer line_;
};

}  // namespace

std::unique_ptr<TrajectoryWriter> open_cif_trajectory(const TrajectoryTarget& target,
                                                      const TrajectoryContents& contents) {
  return std::make_unique<CifTrajectory>(target, contents);
}

std::uint64_t cif_frame_bytes(std::size_t n_atoms) {
  constexpr std::uint64_t kAtom = 80, kRest = 50;
  return kRest + kAtom * n_atoms;
}

}  // namespace dropmd
