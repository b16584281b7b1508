# The portable archive: `cmake --build --preset release --target package` (docs/packaging.md).
#
# It holds what `cmake --install` installs, and the install component `bundle`: what else a machine without the source tree wants.

if(TILEWRIGHT_PORTABLE)
  if(TILEWRIGHT_COMPILER AND NOT TILEWRIGHT_STATIC_LLVM)
    message(FATAL_ERROR "TILEWRIGHT_PORTABLE needs TILEWRIGHT_STATIC_LLVM: LLVM's shared libraries are not packed")
  endif()
  # Every program and library finds its neighbours by where it stands itself.
  set(CMAKE_BUILD_RPATH_USE_ORIGIN ON)
endif()

# tilewright_pack_program(TARGET FOLDER): a program that stands in this folder of the archive.
function(tilewright_pack_program target folder)
  if(TILEWRIGHT_PORTABLE)
    string(REGEX REPLACE "[^/]+" ".." up "${folder}")
    set_target_properties(${target} PROPERTIES INSTALL_RPATH "$ORIGIN/${up}/${CMAKE_INSTALL_LIBDIR}")
    target_compile_options(${target} PRIVATE "-fmacro-prefix-map=${PROJECT_SOURCE_DIR}/=") # what __FILE__ says
    install(TARGETS ${target} RUNTIME DESTINATION ${folder} COMPONENT bundle EXCLUDE_FROM_ALL)
  endif()
endfunction()

# tilewright_pack_library(TARGET [COMPONENT bundle EXCLUDE_FROM_ALL]): a shared library that there is no archive of comes along, beside
# ours; with the component only in the archive, else also where `cmake --install` installs.
function(tilewright_pack_library target)
  if(TILEWRIGHT_PORTABLE)
    install(FILES "$<TARGET_FILE:${target}>" DESTINATION ${CMAKE_INSTALL_LIBDIR} RENAME "$<TARGET_SONAME_FILE_NAME:${target}>"
            PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE
            ${ARGN})
  endif()
endfunction()

# Called when all targets are known.
function(tilewright_package)
  macro(pack kind what destination)
    install(${kind} ${what} DESTINATION "${destination}" COMPONENT bundle EXCLUDE_FROM_ALL ${ARGN})
  endmacro()
  # The tests that go through the command line and the C header, at the same places as in the source tree.
  pack(DIRECTORY tests/semantics tests FILES_MATCHING PATTERN "*.py" PATTERN "*.tile" PATTERN unsupported.txt)
  pack(FILES tests/benchmarks/kernels_table.py tests/benchmarks)
  pack(DIRECTORY examples . FILES_MATCHING PATTERN "*.tile" PATTERN "*.c" PATTERN "*.cpp" PATTERN "*.h")
  pack(PROGRAMS scripts/gpu-check scripts)
  pack(PROGRAMS scripts/gpu-benchmarks scripts)
  pack(FILES docs/packaging.md . RENAME README.md)
  pack(FILES LICENSE licenses RENAME tilewright)
  # Of what is linked in or comes along, as Debian's packages tell it.
  foreach(name IN ITEMS llvm-22-dev libtbb12 libsqlite3-dev zlib1g-dev libzstd-dev libspdlog-dev libfmt-dev libcli11-dev
          nlohmann-json3-dev libgtest-dev libbenchmark-dev)
    if(EXISTS "/usr/share/doc/${name}/copyright")
      pack(FILES "/usr/share/doc/${name}/copyright" licenses RENAME "${name}")
    else()
      message(WARNING "The licence of ${name} is not at /usr/share/doc/${name}: the archive will lack it")
    endif()
  endforeach()

  string(TOLOWER "${CMAKE_SYSTEM_NAME}-${CMAKE_SYSTEM_PROCESSOR}" CPACK_SYSTEM_NAME)
  set(CPACK_GENERATOR TXZ)
  set(CPACK_THREADS 0) # as many as there are processors; the archive is a few percent larger for it
  set(CPACK_PACKAGE_NAME tilewright)
  set(CPACK_PACKAGE_VENDOR Tilewright)
  set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "A just-in-time compiler for tile kernels, for C++ host programs")
  set(CPACK_INSTALL_CMAKE_PROJECTS "${PROJECT_BINARY_DIR};tilewright;ALL;/;${PROJECT_BINARY_DIR};tilewright;bundle;/")
  include(CPack)
endfunction()
