# How every target of the project is compiled.

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_CXX_VISIBILITY_PRESET hidden)
set(CMAKE_C_VISIBILITY_PRESET hidden)
set(CMAKE_VISIBILITY_INLINES_HIDDEN ON)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/bin")
set(CMAKE_LIBRARY_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/lib")
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)

if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE RelWithDebInfo CACHE STRING "" FORCE)
endif()

find_program(TILEWRIGHT_CCACHE ccache)
if(TILEWRIGHT_CCACHE)
  # The sloppiness lets ccache work with precompiled headers.
  set(launcher "${CMAKE_COMMAND}" -E env CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime
      "${TILEWRIGHT_CCACHE}")
  set(CMAKE_CXX_COMPILER_LAUNCHER "${launcher}" CACHE STRING "")
  set(CMAKE_C_COMPILER_LAUNCHER "${launcher}" CACHE STRING "")
endif()

# lld links the compiler in a fraction of bfd's time.
find_program(TILEWRIGHT_LLD NAMES ld.lld-22 ld.lld)
if(TILEWRIGHT_LLD)
  add_link_options("-fuse-ld=lld" "-B${PROJECT_BINARY_DIR}/linker")
  file(MAKE_DIRECTORY "${PROJECT_BINARY_DIR}/linker")
  file(CREATE_LINK "${TILEWRIGHT_LLD}" "${PROJECT_BINARY_DIR}/linker/ld.lld" SYMBOLIC)
endif()
add_link_options("-Wl,--as-needed")

# Warnings are errors in our own code; foreign headers are included as system headers.
add_library(tilewright_warnings INTERFACE)
target_compile_options(tilewright_warnings INTERFACE -Wall -Wextra -Werror -Wno-unused-parameter -Wno-missing-field-initializers
  # libstdc++ 12's stable_sort uses a function that C++20 deprecates.
  $<$<CXX_COMPILER_ID:Clang>:-Wno-deprecated-declarations>)

# tilewright_library(NAME SOURCES…  [LINK LIB…]): an internal library.
function(tilewright_library name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;LINK")
  add_library(${name} STATIC ${arg_SOURCES})
  target_include_directories(${name} PUBLIC "${PROJECT_SOURCE_DIR}" "${PROJECT_BINARY_DIR}")
  target_link_libraries(${name} PUBLIC ${arg_LINK} PRIVATE $<BUILD_INTERFACE:tilewright_warnings>)
endfunction()
