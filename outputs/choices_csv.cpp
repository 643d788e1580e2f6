#include "outputs/choices_csv.h"

#include <fmt/core.h>

#include <utility>

#include "core/version.h"

namespace dropmd {

ChoicesCsv::ChoicesCsv(FileWriter writer) : writer_(std::move(writer)) {
  if (writer_.mark().bytes > 0) return;
  writer_.write(
      fmt::format("# dropmd {}: what --choices takes to make the same run again\n"
                  "step,neighbor,skin,cell_share,list_form\n",
                  kVersion));
  writer_.flush();
}

void ChoicesCsv::append(const MethodChoice& choice, std::string_view neighbor, std::string_view list_form) {
  writer_.write(
      fmt::format("{},{},{:.17g},{:.17g},{}\n", choice.step, neighbor, choice.skin, choice.cell_share, list_form));
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
