#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

#include "inputs/line_reader.h"
#include "inputs/text_source.h"
#include "inputs/trajectories/trajectory_reader.h"

namespace dropmd {

/// The lines of a text file, one after another; only a part of the file is in memory.
class TextStream {
 public:
  /// kind: what is expected, "an XYZ trajectory". Throws InputError as read_text_source().
  TextStream(const std::filesystem::path& path, std::string_view kind);

  /// Appends the next line with its end; false at the end of the file. Throws InputError for a NUL byte.
  bool take_line(std::string& text);
  /// Whether only blank lines follow; it passes over them.
  bool pass_blank_lines();

  /// Number of lines that were taken.
  std::size_t lines_taken() const { return n_lines_; }
  /// Bytes of the file that were not taken.
  std::uint64_t rest() const { return size_ > taken_ ? size_ - taken_ : 0; }
  ReadShare share() const { return {taken_, size_}; }
  const std::string& file() const { return file_; }

 private:
  bool fill();
  std::string_view buffered() const { return std::string_view(buffer_).substr(begin_, end_ - begin_); }

  std::string file_, kind_;
  std::ifstream in_;
  std::uint64_t size_ = 0, taken_ = 0;
  std::size_t n_lines_ = 0;
  std::string buffer_;
  std::size_t begin_ = 0, end_ = 0;  ///< of the bytes in buffer_ that were not taken
};

/// The lines of a frame.
struct FrameText {
  TextSource source;
  std::size_t lines_before = 0;  ///< number of lines of the file before them

  explicit FrameText(const TextStream& stream) : source{stream.file(), {}}, lines_before(stream.lines_taken()) {}
  LineReader lines() const { return LineReader(source, lines_before); }
  /// The first line.
  SourcePlace place() const { return {source.file, lines_before + 1, 1}; }
};

}  // namespace dropmd
