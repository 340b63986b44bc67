# SPDX-License-Identifier: Apache-2.0
# Completion of fish, which asks the program (apps/completions.hpp).
function __gardenhose_complete
    set -l words (commandline --tokenize --cut-at-cursor --current-process) (commandline --current-token --cut-at-cursor)
    set -l candidates ($words[1] complete $words[2..] 2>/dev/null)
    if test (count $candidates) -gt 0
        printf '%s\n' $candidates
    else
        __fish_complete_path (commandline --current-token --cut-at-cursor)
    end
end
complete --command gardenhose --no-files --arguments '(__gardenhose_complete)'
