# One target per folder. A component sees the headers of the components that it declares and
# of no others: each folder is reached through an include directory of its own, which holds
# nothing but a link to the folder. An include that the DAG forbids therefore does not compile
# (tests/install/dag_test.sh proves it).

add_library(rocdrill_options INTERFACE)
target_compile_options(rocdrill_options INTERFACE -Wall -Wextra)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  # GCC bug 105651: -Wrestrict of g++ 12 fires inside std::string's operator+ when optimising.
  target_compile_options(rocdrill_options INTERFACE -Wno-restrict)
endif()
if(ROCDRILL_WERROR)
  target_compile_options(rocdrill_options INTERFACE -Werror)
endif()
if(ROCDRILL_SANITIZE)
  target_compile_options(rocdrill_options INTERFACE
    -fsanitize=${ROCDRILL_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  target_link_options(rocdrill_options INTERFACE -fsanitize=${ROCDRILL_SANITIZE})
endif()
if(ROCDRILL_COVERAGE)
  target_compile_options(rocdrill_options INTERFACE --coverage)
  target_link_options(rocdrill_options INTERFACE --coverage)
endif()

# rocdrill_component(<name> FOLDER <folder> [OBJECT | MODULE | HEADERS] [PUBLIC <component>...]
#                    [PRIVATE <component>...] [LINK_PUBLIC <lib>...] [LINK_PRIVATE <lib>...])
# PUBLIC: its headers use theirs. PRIVATE: only its sources do, so that whoever stands on this
# component does not see them.
function(rocdrill_component name)
  cmake_parse_arguments(arg "OBJECT;MODULE;HEADERS" "FOLDER" "PUBLIC;PRIVATE;LINK_PUBLIC;LINK_PRIVATE" ${ARGN})
  set(folder "${PROJECT_SOURCE_DIR}/${arg_FOLDER}")
  file(GLOB sources CONFIGURE_DEPENDS "${folder}/*.cpp")
  set(include_dir "${PROJECT_BINARY_DIR}/include/${name}")
  cmake_path(GET arg_FOLDER PARENT_PATH parent)
  file(MAKE_DIRECTORY "${include_dir}/${parent}")
  file(CREATE_LINK "${folder}" "${include_dir}/${arg_FOLDER}" SYMBOLIC)

  set(target "rocdrill_${name}")
  if(arg_HEADERS)
    add_library(${target} INTERFACE)
    target_include_directories(${target} INTERFACE "${include_dir}")
    return()
  elseif(arg_OBJECT)
    add_library(${target} OBJECT ${sources})
  elseif(arg_MODULE)
    add_library(${target} MODULE ${sources})
  else()
    add_library(${target} STATIC ${sources})
  endif()
  target_include_directories(${target} PUBLIC "${include_dir}")
  list(TRANSFORM arg_PUBLIC PREPEND "rocdrill_")
  list(TRANSFORM arg_PRIVATE PREPEND "rocdrill_")
  target_link_libraries(${target}
    PUBLIC ${arg_PUBLIC} ${arg_LINK_PUBLIC}
    PRIVATE ${arg_PRIVATE} ${arg_LINK_PRIVATE} rocdrill_options)
endfunction()
