#pragma once

#include <streambuf>
#include <string>

namespace dropmd {

/// What a stream writes to a descriptor for those who watch, such as progress. Nobody has to: what the reader of a
/// pipe, or a terminal that was halted, does not take at once is dropped, so that it holds up nothing. Handed over by
/// flush.
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
