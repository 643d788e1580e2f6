#include "inputs/topologies/gromacs/text/preprocessor.h"

#include <fmt/core.h>

#include <algorithm>
#include <system_error>
#include <utility>

#include "inputs/nearest_word.h"
#include "inputs/text_source.h"

namespace dropmd::gromacs {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kWhiteSpace = " \t\r\v\f";
constexpr std::string_view kKind = "a GROMACS topology";

fs::path canonical_path(const fs::path& path) {
  std::error_code error;
  fs::path canonical = fs::canonical(path, error);
  return error ? path : canonical;
}

/// Reads an included file, which may be empty.
TextSource read_included(const fs::path& path) {
  std::error_code error;
  if (fs::is_regular_file(path, error) && fs::file_size(path, error) == 0 && !error) return {path.string(), ""};
  return read_text_source(path, kKind);
}

std::string_view without_comment(std::string_view text) { return text.substr(0, text.find(';')); }

/// Removes a backslash at the end of a line. Returns whether there was one.
bool remove_continuation(std::string_view& text) {
  const std::size_t last = text.find_last_not_of(kWhiteSpace);
  if (last == std::string_view::npos || text[last] != '\\') return false;
  text = text.substr(0, last);
  return true;
}

/// Reads the words of a directive's line, without its comment.
class DirectiveWords {
 public:
  explicit DirectiveWords(std::string_view line) : line_(without_comment(line)) {}

  Word next() {
    const std::size_t begin = std::min(line_.find_first_not_of(kWhiteSpace, at_), line_.size());
    at_ = std::min(line_.find_first_of(kWhiteSpace, begin), line_.size());
    return {line_.substr(begin, at_ - begin), begin + 1};
  }
  /// What follows the last word.
  std::string_view rest() const { return trimmed(line_.substr(at_)); }
  void skip_hash() { at_ = line_.find('#') + 1; }

 private:
  std::string_view line_;
  std::size_t at_ = 0;
};

}  // namespace

Preprocessor::OpenFile::OpenFile(TextSource text, const fs::path& path, std::uint32_t inclusion_of_it)
    : source(std::move(text)),
      lines(source),
      folder(path.parent_path()),
      canonical(canonical_path(path)),
      inclusion(inclusion_of_it) {}

Preprocessor::Preprocessor(const fs::path& path, const GromacsOptions& options)
    : options_(&options), search_(options, path) {
  for (const std::string& define : options.defines) {
    const std::size_t end = define.find('=');
    macros_.define(define.substr(0, end), end == std::string::npos ? "" : define.substr(end + 1));
  }
  TextSource text = read_text_source(path, kKind);
  const std::uint32_t inclusion = sources_.add_topology(text.file);
  open(path, inclusion, std::move(text));
}

void Preprocessor::open(const fs::path& path, std::uint32_t inclusion, TextSource text) {
  n_read_ += text.text.size();
  files_.push_back(std::make_unique<OpenFile>(std::move(text), path, inclusion));
}

void Preprocessor::close() {
  const OpenFile& file = *files_.back();
  if (!file.conditions.empty()) {
    const Condition& open = file.conditions.back();
    sources_.fail(open.place, "this condition is not closed (it ends with #endif in the same file)");
  }
  files_.pop_back();
}

TextPlace Preprocessor::place_at(std::size_t column) const {
  const OpenFile& file = *files_.back();
  return {file.inclusion, static_cast<std::uint32_t>(file.lines.line_number()), static_cast<std::uint32_t>(column)};
}

bool Preprocessor::is_left_out() const {
  const auto& conditions = files_.back()->conditions;
  return !conditions.empty() && conditions.back().is_left_out;
}

bool Preprocessor::next_text_line() {
  while (!files_.empty()) {
    if (!files_.back()->lines.next_line()) {
      close();
      continue;
    }
    if (!obey_directive() && !is_left_out()) return true;
  }
  return false;
}

bool Preprocessor::next_line(TopologyLine& line) {
  line.clear();
  bool is_continued = false, is_comment = false;
  while (line.size() == 0 || is_continued) {
    if (!next_text_line()) return line.size() > 0;
    std::string_view text = files_.back()->lines.line();
    line.set_end(place_at(text.size() + 1));
    is_comment = is_comment && is_continued;
    is_continued = remove_continuation(text);
    if (is_comment) continue;
    is_comment = text.find(';') != std::string_view::npos;
    add_words(without_comment(text), line);
  }
  return true;
}

void Preprocessor::add_words(std::string_view text, TopologyLine& line) {
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t begin = text.find_first_not_of(kWhiteSpace, at);
    if (begin == std::string_view::npos) return;
    at = std::min(text.find_first_of(kWhiteSpace, begin), text.size());
    add_word(text.substr(begin, at - begin), place_at(begin + 1), line);
  }
}

void Preprocessor::add_word(std::string_view word, const TextPlace& place, TopologyLine& line) {
  constexpr std::size_t kMostTimes = 16, kAlways = 1U << 16U;
  try {
    if (!macros_.expand(word, expanded_)) return line.add(word, place);
  } catch (const MacroError& error) {
    sources_.fail(place, fmt::format("{}: {}", in_quotes(word), error.what()));
  }
  n_added_ += expanded_.size();
  if (n_added_ > kAlways + kMostTimes * n_read_)
    sources_.fail(place, "macros make the topology more than 16 times as long (write shorter values)");
  const std::string_view text = expanded_;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t begin = text.find_first_not_of(kWhiteSpace, at);
    if (begin == std::string_view::npos) return;
    at = std::min(text.find_first_of(kWhiteSpace, begin), text.size());
    line.add(text.substr(begin, at - begin), place);
  }
}

bool Preprocessor::obey_directive() {
  const std::string_view line = files_.back()->lines.line();
  const std::size_t begin = line.find_first_not_of(kWhiteSpace);
  if (begin == std::string_view::npos || line[begin] != '#') return false;
  DirectiveWords words(line);
  words.skip_hash();
  Word directive = words.next();
  const std::string_view name = directive.text;
  directive.column = begin + 1;
  const auto alone = [&] {
    if (const Word more = words.next())
      fail(more, fmt::format("{} after #{} (only a comment may follow)", in_quotes(more.text), name));
  };
  if (name == "ifdef" || name == "ifndef") {
    begin_condition(directive, words.next());
    if (!files_.back()->conditions.back().is_within_other) alone();
  } else if (name == "else") {  // the rest of a line with #else or #endif is ignored, as in GROMACS
    obey_else(directive);
  } else if (name == "endif") {
    obey_endif(directive);
  } else if (is_left_out()) {
    return true;
  } else if (name == "include") {
    obey_include(directive, words.rest());
  } else if (name == "define") {
    const Word macro = words.next();
    obey_define(directive, macro);
    macros_.define(macro.text, words.rest());
  } else if (name == "undef") {
    const Word macro = words.next();
    if (!macro) fail(directive, "#undef without a name (write #undef NAME)");
    alone();
    macros_.undefine(macro.text);
  } else if (name == "if" || name == "elif") {
    fail(directive, fmt::format("#{} (GROMACS has only #ifdef, #ifndef, #else and #endif)", name));
  } else {
    fail(directive,
         fmt::format("unknown directive {} {}", in_quotes("#" + std::string(name)),
                     known_words_hint(name, {"include", "define", "undef", "ifdef", "ifndef", "else", "endif"})));
  }
  return true;
}

void Preprocessor::begin_condition(const Word& directive, const Word& name) {
  Condition condition{place(directive), true, is_left_out(), {}};
  if (!condition.is_within_other) {
    if (!name) fail(directive, fmt::format("#{} without a name (write #{} NAME)", directive.text, directive.text));
    condition.is_left_out = macros_.is_defined(name.text) != (directive.text == "ifdef");
  }
  files_.back()->conditions.push_back(condition);
}

void Preprocessor::obey_else(const Word& directive) {
  auto& conditions = files_.back()->conditions;
  if (conditions.empty()) fail(directive, "#else without #ifdef or #ifndef (remove it, or add the condition)");
  Condition& condition = conditions.back();
  if (condition.else_place.line > 0)
    fail(directive, fmt::format("a second #else (the condition has one on line {})", condition.else_place.line));
  condition.else_place = place(directive);
  if (!condition.is_within_other) condition.is_left_out = !condition.is_left_out;
}

void Preprocessor::obey_endif(const Word& directive) {
  auto& conditions = files_.back()->conditions;
  if (conditions.empty()) fail(directive, "#endif without #ifdef or #ifndef (remove it, or add the condition)");
  conditions.pop_back();
}

void Preprocessor::obey_define(const Word& directive, const Word& name) {
  if (!name) fail(directive, "#define without a name (write #define NAME VALUE)");
  if (name.text.find('(') != std::string_view::npos)
    fail(name,
         fmt::format("the macro {} has arguments (GROMACS has only macros without arguments)", in_quotes(name.text)));
  std::string_view line = without_comment(files_.back()->lines.line());
  if (remove_continuation(line))
    fail(Word{{}, line.size() + 1}, "a #define that continues on the next line (write it on one line)");
}

void Preprocessor::obey_include(const Word& directive, std::string_view name) {
  const bool is_quoted = name.size() > 2 && name.front() == '"' && name.find('"', 1) == name.size() - 1;
  const bool is_bracketed = name.size() > 2 && name.front() == '<' && name.find('>') == name.size() - 1;
  if (!is_quoted && !is_bracketed)
    fail(directive, fmt::format("#include with {} as a file name (write #include \"file.itp\")", in_quotes(name)));
  const std::string_view file = name.substr(1, name.size() - 2);
  if (!options_->may_include)
    fail(directive, fmt::format("#include {} (here a topology may not include files)", shown(name)));
  const fs::path& folder = files_.back()->folder;
  const auto path = search_.find(file, folder);
  if (!path)
    sources_.fail_without(place(directive),
                          fmt::format("there is no file {} in the folders {} (name its folder in 'include' in [system] "
                                      "of the run file, or set GMXLIB)",
                                      in_quotes(file), search_.folders_text(folder)));
  include_file(directive, *path);
}

void Preprocessor::include_file(const Word& directive, const fs::path& path) {
  constexpr std::size_t kDeepest = 50, kMostInclusions = 10000;
  if (files_.size() > kDeepest)
    fail(directive, fmt::format("files are included more than {} deep (include them one after another)", kDeepest));
  if (sources_.size() > kMostInclusions)
    fail(directive, fmt::format("more than {} files are included (join some of them)", kMostInclusions));
  const fs::path canonical = canonical_path(path);
  // A file with an include guard may include itself once, which adds nothing.
  if (std::count_if(files_.begin(), files_.end(), [&](const auto& file) { return file->canonical == canonical; }) > 1)
    fail(directive, fmt::format("{} includes itself (remove this line)", as_utf8(path.string())));
  const TextPlace at = place(directive);
  const auto included = [&](const InputError& error) {
    return fmt::format("{}, included from {}{}", error.what(), sources_.place(at).text(), sources_.chain(at.inclusion));
  };
  TextSource text;
  try {
    text = read_included(path);
  } catch (const MissingInput& error) {
    throw MissingInput(included(error));
  } catch (const InputError& error) {
    throw InputError(included(error));
  }
  const std::uint32_t inclusion = sources_.add(text.file, at);
  open(path, inclusion, std::move(text));
}

std::vector<std::string> Preprocessor::unused_defines() const {
  std::vector<std::string> unused;
  for (const std::string& define : options_->defines)
    if (std::string name = define.substr(0, define.find('=')); !macros_.is_used(name))
      unused.push_back(std::move(name));
  return unused;
}

}  // namespace dropmd::gromacs
