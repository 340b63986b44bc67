# SPDX-License-Identifier: Apache-2.0
# Read at the end of project(): a mutant changes one source of sim, so each of these is compiled on its
# own, while the sources of each folder of tests stay one.
function(compile_apart)
  get_property(targets DIRECTORY ${PROJECT_SOURCE_DIR}/sim PROPERTY BUILDSYSTEM_TARGETS)
  set_target_properties(${targets} PROPERTIES UNITY_BUILD OFF)
endfunction()
cmake_language(DEFER CALL compile_apart)
