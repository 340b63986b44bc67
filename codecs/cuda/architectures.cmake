# SPDX-License-Identifier: Apache-2.0
# The architectures that kernels are compiled for. Code for an older one may run, but without what
# the GPU has learnt since: on an H100 (90) FP8 that was compiled for an A100 (80) is emulated.
set(known_architectures 80 89 90 100 120)

# found_architectures(LIST): those of this machine's GPUs, else all that are known; of both only what
# nvcc (CMAKE_CUDA_COMPILER) compiles for.
function(found_architectures result)
  execute_process(COMMAND ${CMAKE_CUDA_COMPILER} --list-gpu-code OUTPUT_VARIABLE compiled)
  string(REGEX MATCHALL "[0-9]+" compiled "${compiled}")
  execute_process(COMMAND nvidia-smi --query-gpu=compute_cap --format=csv,noheader
    OUTPUT_VARIABLE here RESULT_VARIABLE status ERROR_QUIET)
  if(NOT status STREQUAL "0")
    set(here "")
  endif()
  string(REGEX MATCHALL "[0-9]+\\.[0-9]+" here "${here}")
  list(TRANSFORM here REPLACE "\\." "")
  list(REMOVE_DUPLICATES here)
  foreach(candidates here known_architectures)
    set(found "")
    foreach(architecture IN LISTS ${candidates})
      if(architecture IN_LIST compiled)
        list(APPEND found ${architecture})
      endif()
    endforeach()
    if(found)
      break()
    endif()
  endforeach()
  set(${result} "${found}" PARENT_SCOPE)
endfunction()
