#pragma once

#include "inputs/text_source.h"

namespace dropmd {

/// Throws InputError, with the place, for a TOML text whose values are nested more deeply than those of any run file:
/// toml++ destroys nested values recursively, so that a malicious file would overflow the stack. The depth counts
/// brackets, braces and the dots of keys. Other syntax errors are left to the parser, which stops at the first of them.
void require_bounded_nesting(const TextSource& source);

}  // namespace dropmd
