# Device code compiled by a real clang 19 during the build: code objects, offload bundles and
# host binaries with a .hip_fatbin section, in ${PROJECT_BINARY_DIR}/share/rocdrill/code_objects.
# No ROCm is needed: the sources use the compiler's builtins only (-nogpulib).
find_program(ROCDRILL_CLANG NAMES clang-19 REQUIRED)
find_program(ROCDRILL_LLD NAMES ld.lld-19 REQUIRED)
find_program(ROCDRILL_OFFLOAD_BUNDLER NAMES clang-offload-bundler-19 REQUIRED)
# The bundler looks for llvm-objcopy by that name: only LLVM's own folder is sure to have it.
set(ROCDRILL_LLVM_BIN "/usr/lib/llvm-19/bin" CACHE PATH "Folder of LLVM 19's tools")
set(ROCDRILL_WITH_LLVM ${CMAKE_COMMAND} -E env "PATH=${ROCDRILL_LLVM_BIN}:$ENV{PATH}")

set(ROCDRILL_CODE_OBJECTS_DIR "${PROJECT_BINARY_DIR}/share/rocdrill/code_objects")
set(ROCDRILL_CODE_OBJECTS_INSTALL_DIR "share/rocdrill/code_objects")

# Everything that the functions below build.
add_custom_target(rocdrill_device_code ALL)

# One target's code object. ':' cannot stand in the name of a make target: '@' takes its place,
# as in clang's own file names on systems that forbid ':'.
function(_rocdrill_code_object source target version output_var)
  string(REPLACE ":" "@" file "${target}")
  set(output "${output_dir}/${file}.co")
  set(warnings -Wall -Wextra)
  if(target MATCHES "-generic")
    set(version 6)    # generic targets exist from code object v6 on,
    set(warnings -w)  # about which clang 19 warns in a way that no option of its own turns off
  endif()
  add_custom_command(
    OUTPUT "${output}"
    COMMAND ${CMAKE_COMMAND} -E make_directory "${output_dir}"
    COMMAND ${ROCDRILL_CLANG} -x cl -cl-std=CL2.0 -O2 -nogpulib -target amdgcn-amd-amdhsa
            "-mcpu=${target}" -mcode-object-version=${version} ${warnings}
            -o "${output}" "${source}"
    DEPENDS "${source}"
    COMMENT "Device code ${arg_name} for ${target}"
    VERBATIM)
  set(${output_var} "${output}" PARENT_SCOPE)
endfunction()

# rocdrill_device_code(<name> SOURCE <file.cl> TARGETS <target ID>...
#                      [BUNDLE_TARGETS <target ID>...] [CODE_OBJECT_VERSION <4|5|6>])
# Builds <name>/<target ID with '@' for ':'>.co for every target, and from BUNDLE_TARGETS (default:
# TARGETS) in their order <name>/bundle.hipfb and the shared library <name>/host.so around it.
# A bundle may not mix a plain target ID with one of the same processor that names a feature.
function(rocdrill_device_code arg_name)
  cmake_parse_arguments(arg "" "SOURCE;CODE_OBJECT_VERSION" "TARGETS;BUNDLE_TARGETS" ${ARGN})
  if(NOT arg_CODE_OBJECT_VERSION)
    set(arg_CODE_OBJECT_VERSION 5)
  endif()
  if(NOT arg_BUNDLE_TARGETS)
    set(arg_BUNDLE_TARGETS ${arg_TARGETS})
  endif()
  cmake_path(ABSOLUTE_PATH arg_SOURCE)
  set(output_dir "${ROCDRILL_CODE_OBJECTS_DIR}/${arg_name}")

  set(outputs)
  foreach(target IN LISTS arg_TARGETS)
    _rocdrill_code_object("${arg_SOURCE}" "${target}" ${arg_CODE_OBJECT_VERSION} output)
    list(APPEND outputs "${output}")
  endforeach()

  set(ids "host-x86_64-unknown-linux")
  set(inputs "-input=/dev/null")
  set(bundled)
  foreach(target IN LISTS arg_BUNDLE_TARGETS)
    string(REPLACE ":" "@" file "${target}")
    string(APPEND ids ",hipv4-amdgcn-amd-amdhsa--${target}")
    list(APPEND inputs "-input=${output_dir}/${file}.co")
    list(APPEND bundled "${output_dir}/${file}.co")
  endforeach()
  add_custom_command(
    OUTPUT "${output_dir}/bundle.hipfb"
    COMMAND ${ROCDRILL_WITH_LLVM} ${ROCDRILL_OFFLOAD_BUNDLER} -type=o -bundle-align=4096 "-targets=${ids}" ${inputs}
            "-output=${output_dir}/bundle.hipfb"
    DEPENDS ${bundled}
    COMMENT "Offload bundle ${arg_name}"
    VERBATIM)
  add_custom_target(rocdrill_device_code_${arg_name}
                    DEPENDS ${outputs} "${output_dir}/bundle.hipfb")
  add_dependencies(rocdrill_device_code rocdrill_device_code_${arg_name})

  rocdrill_host_binary(${arg_name}/host.so BUNDLES ${arg_name})
  install(DIRECTORY "${output_dir}/" DESTINATION "${ROCDRILL_CODE_OBJECTS_INSTALL_DIR}/${arg_name}"
          FILES_MATCHING PATTERN "*.co" PATTERN "*.hipfb" PATTERN "*.so")
endfunction()

# rocdrill_host_binary(<path> BUNDLES <name>...)
# A shared library that carries the bundles of these names as hipcc lays them out: one after the
# other in .hip_fatbin, each on a page of its own, and one registration record for each in
# .hipFatBinSegment (magic "HIPF", version 1, address of the bundle, 0).
function(rocdrill_host_binary path)
  cmake_parse_arguments(arg "" "" "BUNDLES" ${ARGN})
  set(output "${ROCDRILL_CODE_OBJECTS_DIR}/${path}")
  string(MAKE_C_IDENTIFIER "${path}" id)
  set(fatbin "")
  set(records "")
  set(depends)
  foreach(bundle IN LISTS arg_BUNDLES)
    set(file "${ROCDRILL_CODE_OBJECTS_DIR}/${bundle}/bundle.hipfb")
    list(APPEND depends "${file}" rocdrill_device_code_${bundle})
    string(APPEND fatbin "  .p2align 12\n.L${bundle}:\n  .incbin \"${file}\"\n")
    string(APPEND records "  .long 0x48495046, 1\n  .quad .L${bundle}, 0\n")
  endforeach()
  set(assembly "${CMAKE_CURRENT_BINARY_DIR}/${id}.s")
  file(CONFIGURE OUTPUT "${assembly}" @ONLY CONTENT
"  .section .hip_fatbin,\"a\",@progbits
@fatbin@  .section .hipFatBinSegment,\"aw\",@progbits
  .p2align 3
@records@  .section .note.GNU-stack,\"\",@progbits
")
  add_custom_command(
    OUTPUT "${output}"
    COMMAND ${ROCDRILL_CLANG} -c -o "${assembly}.o" "${assembly}"
    COMMAND ${ROCDRILL_LLD} -shared -o "${output}" "${assembly}.o"
    DEPENDS "${assembly}" ${depends}
    COMMENT "Host binary ${path}"
    VERBATIM)
  add_custom_target(rocdrill_device_code_${id} DEPENDS "${output}")
  add_dependencies(rocdrill_device_code rocdrill_device_code_${id})
endfunction()

# ROCm's device libraries, for kernels that want maths. Debian's are of ROCm 5.2, which has no
# gfx942: gfx940 differs in nothing that they ask for.
set(ROCDRILL_DEVICE_LIBRARIES "/usr/lib/x86_64-linux-gnu/amdgcn/bitcode" CACHE PATH
    "Folder of ocml.bc and the rest of ROCm's device libraries")

# _rocdrill_device_libraries(<target> <output variable>): the options that link them.
function(_rocdrill_device_libraries target output_var)
  string(REPLACE "gfx" "" version "${target}")
  if(NOT EXISTS "${ROCDRILL_DEVICE_LIBRARIES}/oclc_isa_version_${version}.bc")
    string(REGEX REPLACE "94.$" "940" version "${version}")
  endif()
  set(options)
  foreach(library opencl ocml ockl oclc_isa_version_${version} oclc_abi_version_500
                  oclc_correctly_rounded_sqrt_on oclc_daz_opt_off oclc_finite_only_off
                  oclc_unsafe_math_off oclc_wavefrontsize64_on)
    list(APPEND options -Xclang -mlink-builtin-bitcode
         -Xclang "${ROCDRILL_DEVICE_LIBRARIES}/${library}.bc")
  endforeach()
  set(${output_var} ${options} PARENT_SCOPE)
endfunction()

# rocdrill_kernels(<file> TARGETS <target>... LEVELS <0..3>... [OLDER_TARGETS <target>...]
#                  [HEADERS <file>...] [DEVICE_LIBRARIES] [TWIN <output variable>])
# Compiles a kernel source (.cl: OpenCL C 2.0, .hip) to <stem>.<target>.O<level>.co in the current
# binary folder, for OLDER_TARGETS at -O3 only, and to an object file for this CPU, its twin. Nothing is contracted on either side;
# divisions and square roots are rounded correctly: results may be compared bit for bit.
# Target: kernels_<stem>.
function(rocdrill_kernels file)
  cmake_parse_arguments(arg "DEVICE_LIBRARIES" "TWIN" "TARGETS;LEVELS;OLDER_TARGETS;HEADERS" ${ARGN})
  cmake_path(GET file STEM stem)
  cmake_path(GET file EXTENSION extension)
  set(source "${CMAKE_CURRENT_SOURCE_DIR}/${file}")
  set(common -Wall -Wextra -Wno-unused-function -ffp-contract=off)
  set(opencl -x cl -cl-std=CL2.0)
  set(outputs)
  foreach(target IN LISTS arg_TARGETS arg_OLDER_TARGETS)
    set(libraries)
    if(arg_DEVICE_LIBRARIES)
      _rocdrill_device_libraries(${target} libraries)
    endif()
    if(extension STREQUAL ".hip")
      set(language -x hip -std=c++17 --cuda-device-only --offload-arch=${target} -nogpuinc)
    else()
      set(language ${opencl} -target amdgcn-amd-amdhsa -mcpu=${target}
                   -cl-fp32-correctly-rounded-divide-sqrt)
    endif()
    set(levels ${arg_LEVELS})
    if(target IN_LIST arg_OLDER_TARGETS)
      set(levels 3)
    endif()
    foreach(level IN LISTS levels)
      set(output "${CMAKE_CURRENT_BINARY_DIR}/${stem}.${target}.O${level}.co")
      list(APPEND outputs "${output}")
      add_custom_command(
        OUTPUT "${output}"
        COMMAND ${ROCDRILL_CLANG} ${language} -O${level} -nogpulib ${common} ${libraries}
                -o "${output}" "${source}"
        DEPENDS "${source}" ${arg_HEADERS}
        COMMENT "Kernels ${stem} for ${target} at -O${level}"
        VERBATIM)
    endforeach()
  endforeach()
  if(arg_TWIN)
    if(extension STREQUAL ".hip")
      set(language -x c++ -std=c++17)
    else()
      set(language ${opencl})
    endif()
    set(output "${CMAKE_CURRENT_BINARY_DIR}/${stem}.twin.o")
    set(${arg_TWIN} "${output}" PARENT_SCOPE)
    add_custom_command(
      OUTPUT "${output}"
      COMMAND ${ROCDRILL_CLANG} ${language} -O2 -fPIC ${common} -c -o "${output}" "${source}"
      DEPENDS "${source}" ${arg_HEADERS}
      COMMENT "Twins of ${stem}"
      VERBATIM)
  endif()
  add_custom_target(kernels_${stem} DEPENDS ${outputs})
endfunction()
