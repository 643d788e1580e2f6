#include "inputs/topologies/gromacs/text/source_map.h"

#include <fmt/core.h>

#include <utility>

namespace dropmd::gromacs {

std::uint32_t SourceMap::add_topology(std::string file) { return add(std::move(file), {}); }

std::vector<std::string> SourceMap::files() const {
  std::vector<std::string> names;
  for (const Inclusion& inclusion : inclusions_) names.push_back(inclusion.file);
  return names;
}

std::uint32_t SourceMap::add(std::string file, const TextPlace& included_at) {
  inclusions_.push_back({std::move(file), included_at});
  return static_cast<std::uint32_t>(inclusions_.size() - 1);
}

SourcePlace SourceMap::place(const TextPlace& where) const {
  return {inclusions_[where.inclusion].file, where.line, where.column};
}

std::string SourceMap::chain(std::uint32_t inclusion) const {
  std::string text;
  while (inclusion > 0) {
    const TextPlace& at = inclusions_[inclusion].included_at;
    text += ", included from " + place(at).text();
    inclusion = at.inclusion;
  }
  return text;
}

void SourceMap::fail(const TextPlace& where, const std::string& message) const {
  throw InputError(place(where), message + chain(where.inclusion));
}

void SourceMap::fail_without(const TextPlace& where, const std::string& message) const {
  throw MissingInput(place(where), message + chain(where.inclusion));
}

void WarningList::add(const TextPlace& place, const std::string& message) {
  add(sources_->place(place).with(message) + sources_->chain(place.inclusion));
}

void WarningList::add(const std::string& message) {
  constexpr std::size_t kMost = 20;
  if (warnings_.size() < kMost)
    warnings_.push_back(message);
  else
    ++n_left_out_;
}

std::vector<std::string> WarningList::take() {
  if (n_left_out_ > 0) warnings_.push_back(fmt::format("{} more warnings about the topology", n_left_out_));
  n_left_out_ = 0;
  return std::exchange(warnings_, {});
}

}  // namespace dropmd::gromacs
