# SPDX-License-Identifier: Apache-2.0
# Writes the man pages of PROGRAM and of each of its commands to FOLDER.
function(write_page name)
  execute_process(COMMAND ${PROGRAM} ${ARGN} --help=man
    OUTPUT_FILE ${FOLDER}/${name}.1 COMMAND_ERROR_IS_FATAL ANY)
endfunction()

file(REMOVE_RECURSE ${FOLDER})
file(MAKE_DIRECTORY ${FOLDER})
write_page(gardenhose)
execute_process(COMMAND ${PROGRAM} --help=json OUTPUT_VARIABLE help COMMAND_ERROR_IS_FATAL ANY)
string(JSON count LENGTH "${help}" commands)
math(EXPR last "${count} - 1")
foreach(index RANGE ${last})
  string(JSON command GET "${help}" commands ${index} name)
  write_page(gardenhose-${command} ${command})
endforeach()
