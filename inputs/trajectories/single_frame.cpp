#include "inputs/trajectories/single_frame.h"

#include <utility>

#include "inputs/structures/structure_file.h"
#include "inputs/trajectories/virtual_sites.h"

namespace dropmd {
namespace {

class SingleFrame final : public TrajectoryReader {
 public:
  explicit SingleFrame(const std::filesystem::path& path) : frame_(InputFrame{read_structure_file(path), {}, {}}) {
    name_virtual_sites(frame_->structure);
  }

  std::optional<InputFrame> next() override { return std::exchange(frame_, std::nullopt); }
  ReadShare share() const override { return {frame_ ? std::size_t{0} : std::size_t{1}, 1}; }

 private:
  std::optional<InputFrame> frame_;
};

}  // namespace

std::unique_ptr<TrajectoryReader> open_single_frame(const std::filesystem::path& path) {
  return std::make_unique<SingleFrame>(path);
}

}  // namespace dropmd
