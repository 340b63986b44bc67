# SPDX-License-Identifier: Apache-2.0
# Debian's SimGrid can simulate packets with ns-3. That takes 25 of the 30 ms in which an empty
# program that is linked with SimGrid starts and ends, and nothing here uses it. So programs look
# first in a folder of libraries of ns-3's names, whose functions do nothing. A program without that
# folder finds ns-3 itself.
include_guard()

# stand_in_for_ns3(SIMGRID): builds the folder, ${PROJECT_BINARY_DIR}/without_ns3, and installs it as
# lib/gardenhose/without_ns3. Programs have both in their RPATH by the project's CMakeLists.txt.
function(stand_in_for_ns3 simgrid)
  execute_process(COMMAND ${CMAKE_READELF} -d ${simgrid}
    OUTPUT_VARIABLE dynamic COMMAND_ERROR_IS_FATAL ANY)
  string(REGEX MATCHALL "libns3[^]]*" libraries "${dynamic}")
  if(NOT libraries)
    return()
  endif()
  execute_process(COMMAND ${CMAKE_NM} -D -P --undefined-only ${simgrid}
    OUTPUT_VARIABLE undefined COMMAND_ERROR_IS_FATAL ANY)
  string(REGEX MATCHALL "_Z[A-Za-z0-9_]*3ns3[A-Za-z0-9_]*" symbols "${undefined}")

  set(source "extern \"C\" {\n")
  foreach(symbol ${symbols})
    if(symbol MATCHES "^_ZT")  # a class's tables, of which only the addresses are used
      string(APPEND source "void* ${symbol}[64];\n")
    else()
      string(APPEND source "void* ${symbol}() { return nullptr; }\n")
    endif()
  endforeach()
  set(folder ${PROJECT_BINARY_DIR}/without_ns3)
  file(CONFIGURE OUTPUT ${folder}.cpp CONTENT "${source}}\n")

  file(MAKE_DIRECTORY ${folder})
  list(POP_FRONT libraries library)
  add_library(without_ns3 SHARED ${folder}.cpp)
  target_link_options(without_ns3 PRIVATE -nostdlib)
  set_target_properties(without_ns3 PROPERTIES PREFIX "" SUFFIX "" OUTPUT_NAME ${library}
    LIBRARY_OUTPUT_DIRECTORY ${folder})
  foreach(link ${libraries})
    file(CREATE_LINK ${library} ${folder}/${link} SYMBOLIC)
  endforeach()

  install(DIRECTORY ${folder}/ DESTINATION ${private_libraries} COMPONENT program)
  # What SimGrid itself looks for is looked for there in an RPATH, not in a RUNPATH.
  target_link_options(sim_engine INTERFACE LINKER:--disable-new-dtags)
  add_dependencies(sim_engine without_ns3)
endfunction()
