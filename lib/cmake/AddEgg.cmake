# How egg's targets are made. Three kinds of library, so that the layer rule of
# docs/architecture.md is visible in every CMakeLists.txt:
#
#   egg_add_library(NAME sources... [LINK libs...])
#       a layer that knows no MLIR; exceptions are on
#   egg_add_mlir_library(NAME sources... [LINK libs...] [DEPENDS targets...])
#       a layer that uses MLIR; exceptions off, as in the distribution's MLIR.
#       DEPENDS lists the TableGen target of every generated header it includes,
#       also indirectly: link edges give no order for generated headers.
#   egg_add_tool(NAME sources... [LINK libs...]) / egg_add_mlir_tool(...)

# The one place that says how MLIR is linked: the shared library, or (portable)
# the static archives that egg uses. Component names must not be used with the
# shared library: they pull a second, static copy of every registry.
add_library(EggMLIR INTERFACE)
target_include_directories(EggMLIR SYSTEM INTERFACE ${MLIR_INCLUDE_DIRS} ${LLVM_INCLUDE_DIRS})
separate_arguments(_egg_llvm_definitions NATIVE_COMMAND "${LLVM_DEFINITIONS}")
target_compile_options(EggMLIR INTERFACE ${_egg_llvm_definitions} -fno-exceptions)
if(EGG_PORTABLE)
  include(PortableMLIR)
  target_link_libraries(EggMLIR INTERFACE -Wl,--start-group ${EGG_PORTABLE_ARCHIVES} -Wl,--end-group
                        ${EGG_PORTABLE_SYSTEM_LIBS})
else()
  target_link_libraries(EggMLIR INTERFACE MLIR LLVM)
endif()

# spdlog and SQLite: shared libraries of the distribution, or (portable) built
# in, for machines that have neither.
add_library(EggLog INTERFACE)
add_library(EggSqlite INTERFACE)
if(EGG_PORTABLE)
  find_package(Threads REQUIRED)
  target_compile_definitions(EggLog INTERFACE SPDLOG_FMT_EXTERNAL FMT_HEADER_ONLY)
  target_link_libraries(EggLog INTERFACE Threads::Threads)
  find_library(EGG_SQLITE_ARCHIVE libsqlite3.a REQUIRED)
  target_link_libraries(EggSqlite INTERFACE ${EGG_SQLITE_ARCHIVE} m ${CMAKE_DL_LIBS} Threads::Threads)
else()
  target_link_libraries(EggLog INTERFACE spdlog::spdlog)
  target_link_libraries(EggSqlite INTERFACE SQLite::SQLite3)
endif()

set(EGG_INCLUDE_DIRS ${PROJECT_SOURCE_DIR}/include ${PROJECT_BINARY_DIR}/include)

function(egg_add_library name)
  cmake_parse_arguments(ARG "" "" "LINK" ${ARGN})
  add_library(${name} STATIC ${ARG_UNPARSED_ARGUMENTS})
  target_include_directories(${name} PUBLIC ${EGG_INCLUDE_DIRS})
  target_compile_options(${name} PRIVATE -Wall -Wextra -Wno-unused-parameter -Wno-missing-field-initializers)
  target_link_libraries(${name} PUBLIC ${ARG_LINK})
endfunction()

function(egg_add_mlir_library name)
  cmake_parse_arguments(ARG "" "" "LINK;DEPENDS" ${ARGN})
  egg_add_library(${name} ${ARG_UNPARSED_ARGUMENTS} LINK EggMLIR ${ARG_LINK})
  if(ARG_DEPENDS)
    add_dependencies(${name} ${ARG_DEPENDS})
  endif()
endfunction()

function(egg_add_tool name)
  cmake_parse_arguments(ARG "" "" "LINK;DEPENDS" ${ARGN})
  add_executable(${name} ${ARG_UNPARSED_ARGUMENTS})
  target_compile_options(${name} PRIVATE -Wall -Wextra -Wno-unused-parameter -Wno-missing-field-initializers)
  target_link_libraries(${name} PRIVATE ${ARG_LINK})
  if(ARG_DEPENDS)
    add_dependencies(${name} ${ARG_DEPENDS})
  endif()
  if(EGG_PORTABLE)
    target_link_options(${name} PRIVATE -static-libstdc++ -static-libgcc -Wl,--gc-sections -s)
  endif()
  install(TARGETS ${name} RUNTIME DESTINATION bin)
endfunction()

function(egg_add_mlir_tool name)
  egg_add_tool(${name} ${ARGN})
  target_link_libraries(${name} PRIVATE EggMLIR)
endfunction()

# egg_add_unit_test(NAME sources... [LINK libs...]): a GoogleTest binary, found
# by lit under <build>/test/unit.
function(egg_add_unit_test name)
  cmake_parse_arguments(ARG "" "" "LINK" ${ARGN})
  add_executable(${name} ${ARG_UNPARSED_ARGUMENTS})
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/test/unit)
  target_include_directories(${name} PRIVATE ${EGG_INCLUDE_DIRS})
  target_link_libraries(${name} PRIVATE ${ARG_LINK} GTest::gtest_main)
  add_dependencies(EggUnitTests ${name})
endfunction()
