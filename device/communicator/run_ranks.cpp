#include "device/communicator/run_ranks.h"

#include <exception>

#include "core/errors.h"

namespace dropmd {

namespace {

/// The exception that is being handled, for other ranks: its status, on a line of its own, and its message.
std::string failure_here() {
  try {
    throw;
  } catch (const Error& error) {
    return std::to_string(static_cast<int>(error.status())) + '\n' + error.what();
  } catch (const std::exception& error) {
    return std::to_string(static_cast<int>(ExitStatus::input)) + "\nunexpected: " + error.what();
  }
}

[[noreturn]] void throw_error(ExitStatus status, const std::string& message) {
  switch (status) {
    case ExitStatus::usage:
      throw UsageError(message);
    case ExitStatus::input:
      throw InputError(message);
    case ExitStatus::device:
      throw DeviceError(message);
    default:
      throw Error(status, message);
  }
}

}  // namespace

void RunRanks::all_do(const std::function<void()>& call) {
  std::exception_ptr own;
  std::string text;
  try {
    call();
  } catch (...) {
    own = std::current_exception();
    text = failure_here();
  }
  const std::vector<std::string> failures = gather(text);
  if (own) std::rethrow_exception(own);
  for (std::size_t rank = 0; rank < failures.size(); ++rank) {
    const std::string& failure = failures[rank];
    if (failure.empty()) continue;
    const std::size_t line = failure.find('\n');
    throw_error(static_cast<ExitStatus>(std::stoi(failure.substr(0, line))),
                "rank " + std::to_string(rank) + ": " + failure.substr(line + 1));
  }
}

std::shared_ptr<NcclPeers> RunRanks::connection(const std::function<std::shared_ptr<NcclPeers>()>& make) {
  if (!connection_) connection_ = make();
  return connection_;
}

}  // namespace dropmd
