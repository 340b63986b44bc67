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

# family_options(ARCHITECTURES REST OPTIONS): from compute capability 10 on, kernels may use what the GPUs of
# one family have alone (sm_100f: B200, B300), where nvcc knows families. OPTIONS compile for those of the
# list, and leave code for GPUs that come later; REST is left for the property CUDA_ARCHITECTURES.
function(family_options architectures rest options)
  set(others "")
  set(found "")
  set(newest "")
  foreach(architecture IN LISTS architectures)
    if(architecture MATCHES "^1[0-9][0-9]$" AND CMAKE_CUDA_COMPILER_VERSION VERSION_GREATER_EQUAL 12.9)
      list(APPEND found -gencode=arch=compute_${architecture}f,code=sm_${architecture}f)
      set(newest -gencode=arch=compute_${architecture},code=compute_${architecture})
    else()
      list(APPEND others ${architecture})
    endif()
  endforeach()
  if(NOT others)
    set(others OFF)
  endif()
  set(${rest} "${others}" PARENT_SCOPE)
  set(${options} ${found} ${newest} PARENT_SCOPE)
endfunction()
