#pragma once

#include <streambuf>
#include <string>

namespace dropmd {

/// A stream buffer for output that people watch, such as progress. What the reader of a pipe, or a halted terminal,
/// does not accept at once is dropped, so that it delays nothing. It is written when flushed.
class LiveOutput : public std::streambuf {
 public:
  explicit LiveOutput(int fd) : fd_(fd) {}

 protected:
  int_type overflow(int_type c) override;
  std::streamsize xsputn(const char* text, std::streamsize size) override;
  int sync() override;

 private:
  int fd_;
  std::string pending_;
};

}  // namespace dropmd
