#include "app/failure.h"

#include <algorithm>
#include <new>
#include <ostream>
#include <string>

#include "core/terminal_text.h"

namespace dropmd {

namespace {

ExitStatus show(ExitStatus status, const std::string& message, Streams& streams) {
  // A message of several lines has one mistake per line, and each line gets its own prefix.
  std::size_t begin = 0;
  while (begin <= message.size()) {
    const std::size_t end = std::min(message.find('\n', begin), message.size());
    streams.err << "dropmd: error: " << without_commands(message.substr(begin, end - begin)) << '\n';
    begin = end + 1;
  }
  return status;
}

}  // namespace

ExitStatus show_failure(Streams& streams) {
  try {
    throw;
  } catch (const Error& error) {
    return show(error.status(), error.what(), streams);
  } catch (const std::bad_alloc&) {
    return show(ExitStatus::input, "not enough memory for this input (use fewer atoms)", streams);
  } catch (const std::exception& error) {
    return show(ExitStatus::input, std::string("unexpected: ") + error.what(), streams);
  }
}

}  // namespace dropmd
