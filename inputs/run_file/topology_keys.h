#pragma once

#include "inputs/run_file/mistake_list.h"
#include "inputs/run_file/run_config.h"
#include "inputs/run_file/section_reader.h"
#include "inputs/toml/toml_document.h"

namespace dropmd {

/// Reads the keys of [system] that choose the topology of molecules. section: [system].
void read_topology_keys(SectionReader& section, RunConfig& config);

/// Reads [constraints].
void read_constraints_section(const TomlDocument& document, MistakeList& mistakes, RunConfig& config);

/// Reports what a run file with a topology must not have: other units, masses and parameters that the topology gives,
/// and untruncated van der Waals terms beside a mesh. To be called when all sections have been read.
void check_beside_topology(const TomlDocument& document, MistakeList& mistakes, const RunConfig& config);

}  // namespace dropmd
