# LLVM and MLIR 22.
#
# Debian's exported targets link MLIR's static archives together with LLVM's shared library: two copies of MLIR in one process.
# So the project links either the two shared libraries alone (`dev`: a link takes 0.3 s) or archives alone (`release`).

set(TILEWRIGHT_LLVM_PREFIX "/usr/lib/llvm-22" CACHE PATH "Where LLVM and MLIR 22 are installed")
find_package(LLVM 22.1 REQUIRED CONFIG PATHS "${TILEWRIGHT_LLVM_PREFIX}/lib/cmake/llvm")
find_package(MLIR REQUIRED CONFIG PATHS "${TILEWRIGHT_LLVM_PREFIX}/lib/cmake/mlir")
list(APPEND CMAKE_MODULE_PATH "${MLIR_CMAKE_DIR}" "${LLVM_CMAKE_DIR}")
include(TableGen)
include(AddLLVM)
include(AddMLIR)

add_library(tilewright_llvm INTERFACE)
target_include_directories(tilewright_llvm SYSTEM INTERFACE ${LLVM_INCLUDE_DIRS} ${MLIR_INCLUDE_DIRS})
target_compile_definitions(tilewright_llvm INTERFACE ${LLVM_DEFINITIONS_LIST})

if(TILEWRIGHT_STATIC_LLVM)
  # Of LLVM's targets the host's and NVIDIA's GPUs'; compiler/portable stands in for the rest, and for Polly.
  set(TILEWRIGHT_ABSENT_LLVM_TARGETS ${LLVM_TARGETS_TO_BUILD})
  list(REMOVE_ITEM TILEWRIGHT_ABSENT_LLVM_TARGETS "${LLVM_NATIVE_ARCH}" NVPTX)
  list(JOIN TILEWRIGHT_ABSENT_LLVM_TARGETS "|" absent)
  file(GLOB mlir_archives "${LLVM_LIBRARY_DIR}/libMLIR*.a")
  list(FILTER mlir_archives EXCLUDE REGEX "libMLIR(CAPI|ExecutionEngine|Test|.*Test)[A-Za-z]*\\.a$")
  file(GLOB llvm_archives "${LLVM_LIBRARY_DIR}/libLLVM*.a")
  list(FILTER llvm_archives EXCLUDE REGEX
       "libLLVM(${absent})(Analysis|AsmParser|AsmPrinter|CodeGen|Desc|Disassembler|Info|TargetMCA|Utils)\\.a$|Testing[A-Za-z]*\\.a$")
  set(system_archives "")
  foreach(archive IN ITEMS z zstd)
    find_library(TILEWRIGHT_${archive}_ARCHIVE lib${archive}.a REQUIRED)
    list(APPEND system_archives "${TILEWRIGHT_${archive}_ARCHIVE}")
  endforeach()
  target_link_libraries(tilewright_llvm INTERFACE
    tilewright_portable
    -Wl,--start-group ${mlir_archives} -Wl,--end-group
    -Wl,--start-group "${LLVM_LIBRARY_DIR}/liblldELF.a" "${LLVM_LIBRARY_DIR}/liblldCommon.a" ${llvm_archives} -Wl,--end-group
    ${system_archives} -Wl,--gc-sections)
  # Folds functions of equal code, as LLVM's builds for Windows do: nothing in LLVM or MLIR tells functions apart by their addresses.
  # (`safe` folds nothing: Debian's archives have lost the tables of addresses that are taken.)
  if(TILEWRIGHT_LLD)
    target_link_options(tilewright_llvm INTERFACE -Wl,--icf=all)
  endif()
  add_compile_options(-ffunction-sections -fdata-sections)
else()
  target_link_directories(tilewright_llvm INTERFACE "${LLVM_LIBRARY_DIR}")
  target_link_options(tilewright_llvm INTERFACE "-Wl,-rpath,${LLVM_LIBRARY_DIR}")
  target_link_libraries(tilewright_llvm INTERFACE lldELF lldCommon MLIR LLVM z zstd)
endif()

# MLIR's headers cost half a minute in each translation unit; the library's targets share them precompiled.
file(WRITE "${PROJECT_BINARY_DIR}/precompiled/mlir.cpp" "// Carries the precompiled header.\n")
add_library(tilewright_mlir_headers STATIC "${PROJECT_BINARY_DIR}/precompiled/mlir.cpp")
target_link_libraries(tilewright_mlir_headers PUBLIC tilewright_llvm tilewright_warnings)
target_include_directories(tilewright_mlir_headers PRIVATE "${PROJECT_SOURCE_DIR}" "${PROJECT_BINARY_DIR}")
target_precompile_headers(tilewright_mlir_headers PRIVATE
  <mlir/Dialect/Arith/IR/Arith.h> <mlir/Dialect/Func/IR/FuncOps.h> <mlir/Dialect/LLVMIR/LLVMDialect.h>
  <mlir/Dialect/Linalg/IR/Linalg.h> <mlir/Dialect/Math/IR/Math.h> <mlir/Dialect/MemRef/IR/MemRef.h>
  <mlir/Dialect/SCF/IR/SCF.h> <mlir/Dialect/Vector/IR/VectorOps.h> <mlir/IR/Builders.h> <mlir/IR/BuiltinOps.h>
  <mlir/IR/PatternMatch.h> <mlir/Pass/Pass.h> <map> <set> <string> <vector>)

# tilewright_mlir_library(NAME SOURCES… LINK…): an internal library that uses MLIR.
function(tilewright_mlir_library name)
  tilewright_library(${name} ${ARGN})
  target_link_libraries(${name} PUBLIC tilewright_llvm)
  target_precompile_headers(${name} REUSE_FROM tilewright_mlir_headers)
endfunction()
