#include "outputs/choices_csv.h"

#include <fmt/core.h>

#include "core/version.h"

namespace dropmd {

ChoicesCsv::ChoicesCsv(const std::filesystem::path& path, bool overwrite) : writer_(path, overwrite) {
  writer_.write(
      fmt::format("# dropmd {}: what --choices takes to make the same run again\nstep,neighbor,skin\n", kVersion));
  writer_.flush();
}

void ChoicesCsv::append(std::int64_t step, std::string_view neighbor, double skin) {
  writer_.write(fmt::format("{},{},{:.17g}\n", step, neighbor, skin));
  writer_.flush();
}

void ChoicesCsv::comment(std::int64_t step, std::string_view text) {
  writer_.write(fmt::format("# step {}: {}\n", step, text));
  writer_.flush();
}

void ChoicesCsv::close() {
  writer_.sync();
  writer_.close();
}

}  // namespace dropmd
