// The field's own error numbers, with the names and texts that programs print.
//
// hsa_status_t: HSA Runtime 1.2 and hsa_ext_amd.h. hipError_t: hip_runtime_api.h; the texts of
// hipGetErrorString changed between HIP 5.2.3 (the name) and later releases (prose).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace rocdrill {

/// "ENOENT"; "E?<n>" for a number without a name here.
std::string errno_name(int error);
/// ENOENT of "ENOENT"; 0 for a name that is not known.
int errno_number(std::string_view name);
/// strerror in the C locale: "No such file or directory".
std::string errno_text(int error);

enum class HsaStatus : std::uint32_t {
  success = 0x0,
  info_break = 0x1,
  error = 0x1000,
  invalid_argument = 0x1001,
  invalid_queue_creation = 0x1002,
  invalid_allocation = 0x1003,
  invalid_agent = 0x1004,
  invalid_region = 0x1005,
  invalid_signal = 0x1006,
  invalid_queue = 0x1007,
  out_of_resources = 0x1008,
  invalid_packet_format = 0x1009,
  resource_free = 0x100A,
  not_initialized = 0x100B,
  refcount_overflow = 0x100C,
  incompatible_arguments = 0x100D,
  invalid_index = 0x100E,
  invalid_isa = 0x100F,
  invalid_code_object = 0x1010,
  invalid_executable = 0x1011,
  frozen_executable = 0x1012,
  invalid_symbol_name = 0x1013,
  variable_already_defined = 0x1014,
  variable_undefined = 0x1015,
  exception = 0x1016,
  invalid_isa_name = 0x1017,
  invalid_code_symbol = 0x1018,
  invalid_executable_symbol = 0x1019,
  invalid_file = 0x1020,
  invalid_code_object_reader = 0x1021,
  invalid_cache = 0x1022,
  invalid_wavefront = 0x1023,
  invalid_signal_group = 0x1024,
  invalid_runtime_state = 0x1025,
  fatal = 0x1026,
  // hsa_ext_amd.h
  invalid_memory_pool = 40,
  memory_aperture_violation = 41,
  illegal_instruction = 42,
  memory_fault = 43,
  cu_mask_reduced = 44,
  out_of_registers = 45,
};

/// "HSA_STATUS_ERROR_OUT_OF_RESOURCES"; "HSA_STATUS(0x....)" for an unknown number.
std::string name(HsaStatus status);
/// hsa_status_string(): "HSA_STATUS_ERROR_OUT_OF_RESOURCES: The runtime failed to ...".
std::string text(HsaStatus status);

enum class HipError : std::int32_t {
  success = 0,
  invalid_value = 1,
  out_of_memory = 2,
  not_initialized = 3,
  insufficient_driver = 35,
  invalid_device_function = 98,
  no_device = 100,
  invalid_device = 101,
  invalid_image = 200,
  no_binary_for_gpu = 209,
  file_not_found = 301,
  shared_object_init_failed = 303,
  operating_system = 304,
  invalid_handle = 400,
  illegal_state = 401,
  not_found = 500,
  not_ready = 600,
  illegal_address = 700,
  launch_failure = 719,
  not_supported = 801,
  unknown = 999,
};

/// hipGetErrorName(): "hipErrorNoDevice".
std::string name(HipError error);
/// hipGetErrorString(): prose in releases after 5.x, the name itself in 5.2.3.
std::string text(HipError error, int rocm_major = 6);

}  // namespace rocdrill
