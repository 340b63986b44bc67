// SPDX-License-Identifier: Apache-2.0
// References within a YAML file, as OmegaConf writes them: ${model.hidden_size}, ${.hidden_size},
// ${multiply:4, ${.hidden_size}}.
#pragma once

#include "sim/launch/document.hpp"

namespace sim::launch {

// Replaces each reference to a key of the document by its value, and ${multiply:A, B} and
// ${divide:A, B} of whole numbers by theirs. A reference to anything else stays as it is written.
void follow_references(Document& document);

}  // namespace sim::launch
