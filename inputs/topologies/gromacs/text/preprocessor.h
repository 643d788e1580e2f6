#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "inputs/line_reader.h"
#include "inputs/topologies/gromacs/gromacs_options.h"
#include "inputs/topologies/gromacs/text/include_search.h"
#include "inputs/topologies/gromacs/text/macros.h"
#include "inputs/topologies/gromacs/text/source_map.h"
#include "inputs/topologies/gromacs/text/topology_line.h"

namespace dropmd::gromacs {

/// Returns the lines of a topology and of the files that it includes, as GROMACS' own preprocessor would: #include,
/// #define, #undef, #ifdef, #ifndef, #else and #endif stand on lines of their own, macros are replaced in all other
/// lines, a line that ends with \ continues on the next, and ; begins a comment. All mistakes are InputErrors.
class Preprocessor {
 public:
  /// Opens the topology. The options must outlive the preprocessor.
  Preprocessor(const std::filesystem::path& path, const GromacsOptions& options);
  Preprocessor(const std::filesystem::path& path, GromacsOptions&& options) = delete;

  /// Reads the next line that has words. Returns false at the end of the topology.
  bool next_line(TopologyLine& line);

  const SourceMap& sources() const { return sources_; }
  /// Names that the options define but nothing in the topology uses.
  std::vector<std::string> unused_defines() const;

 private:
  /// A condition that is open: #ifdef or #ifndef.
  struct Condition {
    TextPlace place;
    bool is_left_out;      ///< the lines until #else or #endif
    bool is_within_other;  ///< lines that are left out surround it
    TextPlace else_place;  ///< line 0: there was none
  };
  struct OpenFile {
    OpenFile(TextSource text, const std::filesystem::path& path, std::uint32_t inclusion_of_it);

    TextSource source;
    LineReader lines;
    std::filesystem::path folder;
    std::filesystem::path canonical;  ///< to notice loops
    std::uint32_t inclusion;
    std::vector<Condition> conditions = {};
  };

  void open(const std::filesystem::path& path, std::uint32_t inclusion, TextSource text);
  void close();
  bool next_text_line();
  bool is_left_out() const;
  TextPlace place_at(std::size_t column) const;
  TextPlace place(const Word& word) const { return place_at(word.column); }
  [[noreturn]] void fail(const Word& word, const std::string& message) const { sources_.fail(place(word), message); }

  bool obey_directive();
  void begin_condition(const Word& directive, const Word& name);
  void obey_else(const Word& directive);
  void obey_endif(const Word& directive);
  void obey_include(const Word& directive, std::string_view name);
  void obey_define(const Word& directive, const Word& name);
  void include_file(const Word& directive, const std::filesystem::path& path);
  void add_words(std::string_view text, TopologyLine& line);
  void add_word(std::string_view word, const TextPlace& place, TopologyLine& line);

  const GromacsOptions* options_;
  IncludeSearch search_;
  SourceMap sources_;
  MacroTable macros_;
  std::vector<std::unique_ptr<OpenFile>> files_;  ///< the innermost is the last
  std::string expanded_;
  std::size_t n_read_ = 0;   ///< characters of the files so far
  std::size_t n_added_ = 0;  ///< characters that macros added to them
};

}  // namespace dropmd::gromacs
