#pragma once

#include "inputs/text_source.h"

namespace dropmd {

/// Throws InputError, with the place, for a TOML text whose values nest more deeply than any run file's: toml++
/// destroys what is nested recursively, and a hostile file overflows the stack. Depth counts brackets, braces and the
/// dots of keys. (What is wrong with the text otherwise is the parser's matter; it parses nothing beyond the first
/// mistake.)
void require_bounded_nesting(const TextSource& source);

}  // namespace dropmd
