#include "engine/ensemble/rank_source.h"

#include <fmt/core.h>

#include <cstdlib>
#include <iterator>
#include <sstream>
#include <tuple>
#include <utility>

namespace dropmd {

namespace {

// The first word of a letter; the rest is below.
constexpr std::string_view kBegin = "begin", kHome = "home", kRun = "run", kNone = "none",
                           kStop = "stop";                                      // from rank 0
constexpr std::string_view kNext = "next", kEnded = "ended", kLeave = "leave";  // to rank 0

/// Splits a letter after its first word.
std::pair<std::string, std::string> word_and_rest(const std::string& text) {
  const std::size_t end = text.find('\n');
  return {text.substr(0, end), end == std::string::npos ? "" : text.substr(end + 1)};
}

std::string letter(std::string_view word, const std::string& rest = "") { return fmt::format("{}\n{}", word, rest); }

/// Returns the rest of a stream after its current line.
std::string rest_of(std::istringstream& in) {
  in.ignore();
  return {std::istreambuf_iterator<char>(in), {}};
}

}  // namespace

std::string to_text(const ReplicaResult& result) {
  std::string text = fmt::format("{} {} {} {:.17g} {}\n", static_cast<int>(result.state),
                                 static_cast<int>(result.status), result.steps, result.time, result.means.size());
  for (const NamedMean& mean : result.means)
    text += fmt::format("{} {:a} {:a}\n", mean.name, mean.value.mean, mean.value.error);
  return text + result.message;
}

ReplicaResult replica_result_of(const std::string& text) {
  std::istringstream in(text);
  ReplicaResult result;
  int state = 0, status = 0;
  std::size_t n_means = 0;
  in >> state >> status >> result.steps >> result.time >> n_means;
  result.state = static_cast<ReplicaState>(state);
  result.status = static_cast<ExitStatus>(status);
  for (std::size_t k = 0; k < n_means; ++k) {
    NamedMean mean;
    std::string value, error;
    in >> mean.name >> value >> error;
    mean.value = {std::strtod(value.c_str(), nullptr), std::strtod(error.c_str(), nullptr)};
    result.means.push_back(std::move(mean));
  }
  result.message = rest_of(in);
  return result;
}

ReplicaServer::ReplicaServer(Ranks& ranks) : ranks_(ranks) {}

ReplicaServer::~ReplicaServer() {
  if (began_) return;
  for (int rank = 1; rank < ranks_.size(); ++rank) ranks_.send(rank, letter(kHome));
}

void ReplicaServer::begin(const RankTask& task) {
  began_ = true;
  for (int rank = 1; rank < ranks_.size(); ++rank) {
    ranks_.send(rank, letter(kBegin, fmt::format("{} {} {:d} {}", task.means_from, task.n_runs, task.on_gpus,
                                                 task.example.string())));
    at_work_.insert(rank);
  }
}

void ReplicaServer::answer(ReplicaSource& source, const std::function<bool()>& stopping, const Problem& problem) {
  const auto stops = [&] {
    const bool now = stopping();
    if (now && !std::exchange(told_to_stop_, true))
      for (const int rank : at_work_) ranks_.send(rank, letter(kStop));
    return now;
  };
  stops();
  while (const std::optional<Ranks::Letter> came = ranks_.receive()) {
    const auto [word, rest] = word_and_rest(came->text);
    if (word == kNext) {
      std::optional<ReplicaTask> task;
      try {
        if (!stops()) task = source.next();
      } catch (...) {  // the rank is waiting for an answer
        ranks_.send(came->from, letter(kNone));
        throw;
      }
      ranks_.send(came->from, task ? letter(kRun, fmt::format("{} {}", task->index,
                                                              std::filesystem::absolute(task->folder).string()))
                                   : letter(kNone));
    } else if (word == kEnded) {
      std::istringstream in(rest);
      std::size_t index = 0;
      in >> index;
      source.ended(index, replica_result_of(rest_of(in)));
    } else if (word == kLeave) {
      at_work_.erase(came->from);
      if (!rest.empty()) problem(came->from, rest);
    }
  }
}

std::optional<RankTask> RemoteSource::wait_for_task() {
  const auto [word, rest] = word_and_rest(ranks_.wait_for_letter().text);
  if (word != kBegin) return std::nullopt;
  RankTask task;
  std::istringstream in(rest);
  in >> task.means_from >> task.n_runs >> task.on_gpus;
  task.example = rest_of(in);
  return task;
}

std::optional<ReplicaTask> RemoteSource::next() {
  const std::lock_guard lock(asking_);
  ranks_.send(0, letter(kNext));
  std::string word, rest;
  do {
    std::tie(word, rest) = word_and_rest(ranks_.wait_for_letter().text);
    if (word == kStop) stops_ = true;
  } while (word == kStop);
  if (word != kRun) return std::nullopt;
  ReplicaTask task{};
  std::istringstream in(rest);
  in >> task.index;
  task.folder = rest_of(in);
  return task;
}

void RemoteSource::ended(std::size_t index, const ReplicaResult& result) {
  ranks_.send(0, letter(kEnded, fmt::format("{}\n{}", index, to_text(result))));
}

void RemoteSource::look() {
  // While a thread is asking for a run, it reads what comes.
  const std::unique_lock lock(asking_, std::try_to_lock);
  if (!lock.owns_lock()) return;
  if (const std::optional<Ranks::Letter> came = ranks_.receive())
    if (word_and_rest(came->text).first == kStop) stops_ = true;
}

void RemoteSource::leave(const std::string& problem) { ranks_.send(0, letter(kLeave, problem)); }

}  // namespace dropmd
