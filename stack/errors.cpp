#include "stack/errors.hpp"

#include <fmt/format.h>

#include <cerrno>

namespace rocdrill {
namespace {

struct ErrorText {
  std::int64_t value;
  std::string_view name;
  std::string_view text;
};

// Linux's numbers; the texts are glibc's untranslated ones.
constexpr ErrorText errno_table[] = {
    {EPERM, "EPERM", "Operation not permitted"},
    {ENOENT, "ENOENT", "No such file or directory"},
    {ESRCH, "ESRCH", "No such process"},
    {EINTR, "EINTR", "Interrupted system call"},
    {EIO, "EIO", "Input/output error"},
    {ENXIO, "ENXIO", "No such device or address"},
    {E2BIG, "E2BIG", "Argument list too long"},
    {ENOEXEC, "ENOEXEC", "Exec format error"},
    {EBADF, "EBADF", "Bad file descriptor"},
    {ECHILD, "ECHILD", "No child processes"},
    {EAGAIN, "EAGAIN", "Resource temporarily unavailable"},
    {ENOMEM, "ENOMEM", "Cannot allocate memory"},
    {EACCES, "EACCES", "Permission denied"},
    {EFAULT, "EFAULT", "Bad address"},
    {ENOTBLK, "ENOTBLK", "Block device required"},
    {EBUSY, "EBUSY", "Device or resource busy"},
    {EEXIST, "EEXIST", "File exists"},
    {EXDEV, "EXDEV", "Invalid cross-device link"},
    {ENODEV, "ENODEV", "No such device"},
    {ENOTDIR, "ENOTDIR", "Not a directory"},
    {EISDIR, "EISDIR", "Is a directory"},
    {EINVAL, "EINVAL", "Invalid argument"},
    {ENFILE, "ENFILE", "Too many open files in system"},
    {EMFILE, "EMFILE", "Too many open files"},
    {ENOTTY, "ENOTTY", "Inappropriate ioctl for device"},
    {ETXTBSY, "ETXTBSY", "Text file busy"},
    {EFBIG, "EFBIG", "File too large"},
    {ENOSPC, "ENOSPC", "No space left on device"},
    {ESPIPE, "ESPIPE", "Illegal seek"},
    {EROFS, "EROFS", "Read-only file system"},
    {EMLINK, "EMLINK", "Too many links"},
    {EPIPE, "EPIPE", "Broken pipe"},
    {EDOM, "EDOM", "Numerical argument out of domain"},
    {ERANGE, "ERANGE", "Numerical result out of range"},
    {EDEADLK, "EDEADLK", "Resource deadlock avoided"},
    {ENAMETOOLONG, "ENAMETOOLONG", "File name too long"},
    {ENOLCK, "ENOLCK", "No locks available"},
    {ENOSYS, "ENOSYS", "Function not implemented"},
    {ENOTEMPTY, "ENOTEMPTY", "Directory not empty"},
    {ELOOP, "ELOOP", "Too many levels of symbolic links"},
    {ENOMSG, "ENOMSG", "No message of desired type"},
    {EIDRM, "EIDRM", "Identifier removed"},
    {ECHRNG, "ECHRNG", "Channel number out of range"},
    {EL2NSYNC, "EL2NSYNC", "Level 2 not synchronized"},
    {EL3HLT, "EL3HLT", "Level 3 halted"},
    {EL3RST, "EL3RST", "Level 3 reset"},
    {ELNRNG, "ELNRNG", "Link number out of range"},
    {EUNATCH, "EUNATCH", "Protocol driver not attached"},
    {ENOCSI, "ENOCSI", "No CSI structure available"},
    {EL2HLT, "EL2HLT", "Level 2 halted"},
    {EBADE, "EBADE", "Invalid exchange"},
    {EBADR, "EBADR", "Invalid request descriptor"},
    {EXFULL, "EXFULL", "Exchange full"},
    {ENOANO, "ENOANO", "No anode"},
    {EBADRQC, "EBADRQC", "Invalid request code"},
    {EBADSLT, "EBADSLT", "Invalid slot"},
    {EBFONT, "EBFONT", "Bad font file format"},
    {ENOSTR, "ENOSTR", "Device not a stream"},
    {ENODATA, "ENODATA", "No data available"},
    {ETIME, "ETIME", "Timer expired"},
    {ENOSR, "ENOSR", "Out of streams resources"},
    {ENONET, "ENONET", "Machine is not on the network"},
    {ENOPKG, "ENOPKG", "Package not installed"},
    {EREMOTE, "EREMOTE", "Object is remote"},
    {ENOLINK, "ENOLINK", "Link has been severed"},
    {EADV, "EADV", "Advertise error"},
    {ESRMNT, "ESRMNT", "Srmount error"},
    {ECOMM, "ECOMM", "Communication error on send"},
    {EPROTO, "EPROTO", "Protocol error"},
    {EMULTIHOP, "EMULTIHOP", "Multihop attempted"},
    {EDOTDOT, "EDOTDOT", "RFS specific error"},
    {EBADMSG, "EBADMSG", "Bad message"},
    {EOVERFLOW, "EOVERFLOW", "Value too large for defined data type"},
    {ENOTUNIQ, "ENOTUNIQ", "Name not unique on network"},
    {EBADFD, "EBADFD", "File descriptor in bad state"},
    {EREMCHG, "EREMCHG", "Remote address changed"},
    {ELIBACC, "ELIBACC", "Can not access a needed shared library"},
    {ELIBBAD, "ELIBBAD", "Accessing a corrupted shared library"},
    {ELIBSCN, "ELIBSCN", ".lib section in a.out corrupted"},
    {ELIBMAX, "ELIBMAX", "Attempting to link in too many shared libraries"},
    {ELIBEXEC, "ELIBEXEC", "Cannot exec a shared library directly"},
    {EILSEQ, "EILSEQ", "Invalid or incomplete multibyte or wide character"},
    {ERESTART, "ERESTART", "Interrupted system call should be restarted"},
    {ESTRPIPE, "ESTRPIPE", "Streams pipe error"},
    {EUSERS, "EUSERS", "Too many users"},
    {ENOTSOCK, "ENOTSOCK", "Socket operation on non-socket"},
    {EDESTADDRREQ, "EDESTADDRREQ", "Destination address required"},
    {EMSGSIZE, "EMSGSIZE", "Message too long"},
    {EPROTOTYPE, "EPROTOTYPE", "Protocol wrong type for socket"},
    {ENOPROTOOPT, "ENOPROTOOPT", "Protocol not available"},
    {EPROTONOSUPPORT, "EPROTONOSUPPORT", "Protocol not supported"},
    {ESOCKTNOSUPPORT, "ESOCKTNOSUPPORT", "Socket type not supported"},
    {EOPNOTSUPP, "EOPNOTSUPP", "Operation not supported"},
    {EPFNOSUPPORT, "EPFNOSUPPORT", "Protocol family not supported"},
    {EAFNOSUPPORT, "EAFNOSUPPORT", "Address family not supported by protocol"},
    {EADDRINUSE, "EADDRINUSE", "Address already in use"},
    {EADDRNOTAVAIL, "EADDRNOTAVAIL", "Cannot assign requested address"},
    {ENETDOWN, "ENETDOWN", "Network is down"},
    {ENETUNREACH, "ENETUNREACH", "Network is unreachable"},
    {ENETRESET, "ENETRESET", "Network dropped connection on reset"},
    {ECONNABORTED, "ECONNABORTED", "Software caused connection abort"},
    {ECONNRESET, "ECONNRESET", "Connection reset by peer"},
    {ENOBUFS, "ENOBUFS", "No buffer space available"},
    {EISCONN, "EISCONN", "Transport endpoint is already connected"},
    {ENOTCONN, "ENOTCONN", "Transport endpoint is not connected"},
    {ESHUTDOWN, "ESHUTDOWN", "Cannot send after transport endpoint shutdown"},
    {ETOOMANYREFS, "ETOOMANYREFS", "Too many references: cannot splice"},
    {ETIMEDOUT, "ETIMEDOUT", "Connection timed out"},
    {ECONNREFUSED, "ECONNREFUSED", "Connection refused"},
    {EHOSTDOWN, "EHOSTDOWN", "Host is down"},
    {EHOSTUNREACH, "EHOSTUNREACH", "No route to host"},
    {EALREADY, "EALREADY", "Operation already in progress"},
    {EINPROGRESS, "EINPROGRESS", "Operation now in progress"},
    {ESTALE, "ESTALE", "Stale file handle"},
    {EUCLEAN, "EUCLEAN", "Structure needs cleaning"},
    {ENOTNAM, "ENOTNAM", "Not a XENIX named type file"},
    {ENAVAIL, "ENAVAIL", "No XENIX semaphores available"},
    {EISNAM, "EISNAM", "Is a named type file"},
    {EREMOTEIO, "EREMOTEIO", "Remote I/O error"},
    {EDQUOT, "EDQUOT", "Disk quota exceeded"},
    {ENOMEDIUM, "ENOMEDIUM", "No medium found"},
    {EMEDIUMTYPE, "EMEDIUMTYPE", "Wrong medium type"},
    {ECANCELED, "ECANCELED", "Operation canceled"},
    {ENOKEY, "ENOKEY", "Required key not available"},
    {EKEYEXPIRED, "EKEYEXPIRED", "Key has expired"},
    {EKEYREVOKED, "EKEYREVOKED", "Key has been revoked"},
    {EKEYREJECTED, "EKEYREJECTED", "Key was rejected by service"},
    {EOWNERDEAD, "EOWNERDEAD", "Owner died"},
    {ENOTRECOVERABLE, "ENOTRECOVERABLE", "State not recoverable"},
    {ERFKILL, "ERFKILL", "Operation not possible due to RF-kill"},
    {EHWPOISON, "EHWPOISON", "Memory page has hardware error"},
};

// Sources: hsa.h, hsa_ext_amd.h, hsa_ext_finalize.h, hsa_ext_image.h and hsa_status_string() of
// ROCr 5.2.3, unchanged in 2025. An empty text: that function knows no such status.
constexpr ErrorText hsa_table[] = {
    {0x0, "HSA_STATUS_SUCCESS", "The function has been executed successfully."},
    {0x1, "HSA_STATUS_INFO_BREAK",
     "A traversal over a list of elements has been interrupted by the application before "
     "completing."},
    {0x28, "HSA_STATUS_ERROR_INVALID_MEMORY_POOL", "The memory pool is invalid."},
    {0x29, "HSA_STATUS_ERROR_MEMORY_APERTURE_VIOLATION",
     "The agent attempted to access memory beyond the largest legal address."},
    {0x2A, "HSA_STATUS_ERROR_ILLEGAL_INSTRUCTION",
     "The agent attempted to execute an illegal shader instruction."},
    {0x2B, "HSA_STATUS_ERROR_MEMORY_FAULT", "Agent attempted to access an inaccessible address."},
    {0x2C, "HSA_STATUS_CU_MASK_REDUCED",
     "The CU mask was successfully set but the mask attempted to enable a CU which was "
     "disabled for the process.  CUs disabled for the process remain disabled."},
    {0x2D, "HSA_STATUS_ERROR_OUT_OF_REGISTERS",
     "Kernel has requested more VGPRs than are available on this agent"},
    {0x2E, "HSA_STATUS_ERROR_RESOURCE_BUSY", ""},
    {0x2F, "HSA_STATUS_ERROR_NOT_SUPPORTED", ""},
    {0x1000, "HSA_STATUS_ERROR", "A generic error has occurred."},
    {0x1001, "HSA_STATUS_ERROR_INVALID_ARGUMENT",
     "One of the actual arguments does not meet a precondition stated in the "
     "documentation of the corresponding formal argument."},
    {0x1002, "HSA_STATUS_ERROR_INVALID_QUEUE_CREATION",
     "The requested queue creation is not valid."},
    {0x1003, "HSA_STATUS_ERROR_INVALID_ALLOCATION", "The requested allocation is not valid."},
    {0x1004, "HSA_STATUS_ERROR_INVALID_AGENT", "The agent is invalid."},
    {0x1005, "HSA_STATUS_ERROR_INVALID_REGION", "The memory region is invalid."},
    {0x1006, "HSA_STATUS_ERROR_INVALID_SIGNAL", "The signal is invalid."},
    {0x1007, "HSA_STATUS_ERROR_INVALID_QUEUE", "The queue is invalid."},
    {0x1008, "HSA_STATUS_ERROR_OUT_OF_RESOURCES",
     "The runtime failed to allocate the necessary resources. This error may also occur "
     "when the core runtime library needs to spawn threads or create internal OS-specific "
     "events."},
    {0x1009, "HSA_STATUS_ERROR_INVALID_PACKET_FORMAT", "The AQL packet is malformed."},
    {0x100A, "HSA_STATUS_ERROR_RESOURCE_FREE",
     "An error has been detected while releasing a resource."},
    {0x100B, "HSA_STATUS_ERROR_NOT_INITIALIZED",
     "An API other than hsa_init has been invoked while the reference count of the HSA "
     "runtime is zero."},
    {0x100C, "HSA_STATUS_ERROR_REFCOUNT_OVERFLOW",
     "The maximum reference count for the object has been reached."},
    {0x100D, "HSA_STATUS_ERROR_INCOMPATIBLE_ARGUMENTS",
     "The arguments passed to a functions are not compatible."},
    {0x100E, "HSA_STATUS_ERROR_INVALID_INDEX", "The index is invalid."},
    {0x100F, "HSA_STATUS_ERROR_INVALID_ISA", "The instruction set architecture is invalid."},
    {0x1010, "HSA_STATUS_ERROR_INVALID_CODE_OBJECT", "The code object is invalid."},
    {0x1011, "HSA_STATUS_ERROR_INVALID_EXECUTABLE", "The executable is invalid."},
    {0x1012, "HSA_STATUS_ERROR_FROZEN_EXECUTABLE", "The executable is frozen."},
    {0x1013, "HSA_STATUS_ERROR_INVALID_SYMBOL_NAME", "There is no symbol with the given name."},
    {0x1014, "HSA_STATUS_ERROR_VARIABLE_ALREADY_DEFINED", "The variable is already defined."},
    {0x1015, "HSA_STATUS_ERROR_VARIABLE_UNDEFINED", "The variable is undefined."},
    {0x1016, "HSA_STATUS_ERROR_EXCEPTION", "An HSAIL operation resulted in a hardware exception."},
    {0x1017, "HSA_STATUS_ERROR_INVALID_ISA_NAME",
     "The instruction set architecture name is invalid."},
    {0x1018, "HSA_STATUS_ERROR_INVALID_CODE_SYMBOL", "The code object symbol is invalid."},
    {0x1019, "HSA_STATUS_ERROR_INVALID_EXECUTABLE_SYMBOL", "The executable symbol is invalid."},
    {0x1020, "HSA_STATUS_ERROR_INVALID_FILE", "The file descriptor is invalid."},
    {0x1021, "HSA_STATUS_ERROR_INVALID_CODE_OBJECT_READER", "The code object reader is invalid."},
    {0x1022, "HSA_STATUS_ERROR_INVALID_CACHE", "The cache is invalid."},
    {0x1023, "HSA_STATUS_ERROR_INVALID_WAVEFRONT", "The wavefront is invalid."},
    {0x1024, "HSA_STATUS_ERROR_INVALID_SIGNAL_GROUP", "The signal group is invalid."},
    {0x1025, "HSA_STATUS_ERROR_INVALID_RUNTIME_STATE",
     "The HSA runtime is not in the configuration state."},
    {0x1026, "HSA_STATUS_ERROR_FATAL",
     "The queue received an error that may require process termination."},
    {0x2000, "HSA_EXT_STATUS_ERROR_INVALID_PROGRAM", "Invalid program"},
    {0x2001, "HSA_EXT_STATUS_ERROR_INVALID_MODULE", "Invalid module"},
    {0x2002, "HSA_EXT_STATUS_ERROR_INCOMPATIBLE_MODULE", "Incompatible module"},
    {0x2003, "HSA_EXT_STATUS_ERROR_MODULE_ALREADY_INCLUDED", "Module already included"},
    {0x2004, "HSA_EXT_STATUS_ERROR_SYMBOL_MISMATCH", "Symbol mismatch"},
    {0x2005, "HSA_EXT_STATUS_ERROR_FINALIZATION_FAILED", "Finalization failed"},
    {0x2006, "HSA_EXT_STATUS_ERROR_DIRECTIVE_MISMATCH", "Directive mismatch"},
    {0x3000, "HSA_EXT_STATUS_ERROR_IMAGE_FORMAT_UNSUPPORTED", "Image format is not supported."},
    {0x3001, "HSA_EXT_STATUS_ERROR_IMAGE_SIZE_UNSUPPORTED", "Image size is not supported."},
    {0x3002, "HSA_EXT_STATUS_ERROR_IMAGE_PITCH_UNSUPPORTED",
     "Image pitch is not supported or invalid."},
    {0x3003, "HSA_EXT_STATUS_ERROR_SAMPLER_DESCRIPTOR_UNSUPPORTED",
     "Sampler descriptor is not supported or invalid."},
};

// Sources: hip_runtime_api.h; texts of clr/hipamd/src/hip_error.cpp.
constexpr ErrorText hip_table[] = {
    {0, "hipSuccess", "no error"},
    {1, "hipErrorInvalidValue", "invalid argument"},
    {2, "hipErrorOutOfMemory", "out of memory"},
    {3, "hipErrorNotInitialized", "initialization error"},
    {4, "hipErrorDeinitialized", "driver shutting down"},
    {5, "hipErrorProfilerDisabled", "profiler disabled while using external profiling tool"},
    {6, "hipErrorProfilerNotInitialized", "profiler is not initialized"},
    {7, "hipErrorProfilerAlreadyStarted", "profiler already started"},
    {8, "hipErrorProfilerAlreadyStopped", "profiler already stopped"},
    {9, "hipErrorInvalidConfiguration", "invalid configuration argument"},
    {12, "hipErrorInvalidPitchValue", "invalid pitch argument"},
    {13, "hipErrorInvalidSymbol", "invalid device symbol"},
    {17, "hipErrorInvalidDevicePointer", "invalid device pointer"},
    {21, "hipErrorInvalidMemcpyDirection", "invalid copy direction for memcpy"},
    {35, "hipErrorInsufficientDriver", "driver version is insufficient for runtime version"},
    {52, "hipErrorMissingConfiguration", "__global__ function call is not configured"},
    {53, "hipErrorPriorLaunchFailure", "unspecified launch failure in prior launch"},
    {98, "hipErrorInvalidDeviceFunction", "invalid device function"},
    {100, "hipErrorNoDevice", "no ROCm-capable device is detected"},
    {101, "hipErrorInvalidDevice", "invalid device ordinal"},
    {200, "hipErrorInvalidImage", "device kernel image is invalid"},
    {201, "hipErrorInvalidContext", "invalid device context"},
    {202, "hipErrorContextAlreadyCurrent", "context is already current context"},
    {205, "hipErrorMapFailed", "mapping of buffer object failed"},
    {206, "hipErrorUnmapFailed", "unmapping of buffer object failed"},
    {207, "hipErrorArrayIsMapped", "array is mapped"},
    {208, "hipErrorAlreadyMapped", "resource already mapped"},
    {209, "hipErrorNoBinaryForGpu", "no kernel image is available for execution on the device"},
    {210, "hipErrorAlreadyAcquired", "resource already acquired"},
    {211, "hipErrorNotMapped", "resource not mapped"},
    {212, "hipErrorNotMappedAsArray", "resource not mapped as array"},
    {213, "hipErrorNotMappedAsPointer", "resource not mapped as pointer"},
    {214, "hipErrorECCNotCorrectable", "uncorrectable ECC error encountered"},
    {215, "hipErrorUnsupportedLimit", "limit is not supported on this architecture"},
    {216, "hipErrorContextAlreadyInUse",
     "exclusive-thread device already in use by a different thread"},
    {217, "hipErrorPeerAccessUnsupported",
     "peer access is not supported between these two devices"},
    {218, "hipErrorInvalidKernelFile", "invalid kernel file"},
    {219, "hipErrorInvalidGraphicsContext", "invalid OpenGL or DirectX context"},
    {300, "hipErrorInvalidSource", "device kernel image is invalid"},
    {301, "hipErrorFileNotFound", "file not found"},
    {302, "hipErrorSharedObjectSymbolNotFound", "shared object symbol not found"},
    {303, "hipErrorSharedObjectInitFailed", "shared object initialization failed"},
    {304, "hipErrorOperatingSystem", "OS call failed or operation not supported on this OS"},
    {400, "hipErrorInvalidHandle", "invalid resource handle"},
    {401, "hipErrorIllegalState", "the operation cannot be performed in the present state"},
    {500, "hipErrorNotFound", "named symbol not found"},
    {600, "hipErrorNotReady", "device not ready"},
    {700, "hipErrorIllegalAddress", "an illegal memory access was encountered"},
    {701, "hipErrorLaunchOutOfResources", "too many resources requested for launch"},
    {702, "hipErrorLaunchTimeOut", "the launch timed out and was terminated"},
    {704, "hipErrorPeerAccessAlreadyEnabled", "peer access is already enabled"},
    {705, "hipErrorPeerAccessNotEnabled", "peer access has not been enabled"},
    {708, "hipErrorSetOnActiveProcess", "cannot set while device is active in this process"},
    {709, "hipErrorContextIsDestroyed", "context is destroyed"},
    {710, "hipErrorAssert", "device-side assert triggered"},
    {712, "hipErrorHostMemoryAlreadyRegistered",
     "part or all of the requested memory range is already mapped"},
    {713, "hipErrorHostMemoryNotRegistered",
     "pointer does not correspond to a registered memory region"},
    {719, "hipErrorLaunchFailure", "unspecified launch failure"},
    {720, "hipErrorCooperativeLaunchTooLarge", "too many blocks in cooperative launch"},
    {801, "hipErrorNotSupported", "operation not supported"},
    {900, "hipErrorStreamCaptureUnsupported", "operation not permitted when stream is capturing"},
    {901, "hipErrorStreamCaptureInvalidated",
     "operation failed due to a previous error during capture"},
    {902, "hipErrorStreamCaptureMerge",
     "operation would result in a merge of separate capture sequences"},
    {903, "hipErrorStreamCaptureUnmatched", "capture was not ended in the same stream as it began"},
    {904, "hipErrorStreamCaptureUnjoined", "capturing stream has unjoined work"},
    {905, "hipErrorStreamCaptureIsolation",
     "dependency created on uncaptured work in another stream"},
    {906, "hipErrorStreamCaptureImplicit",
     "operation would make the legacy stream depend on a capturing blocking stream"},
    {907, "hipErrorCapturedEvent",
     "operation not permitted on an event last recorded in a capturing stream"},
    {908, "hipErrorStreamCaptureWrongThread",
     "attempt to terminate a thread-local capture sequence from another thread"},
    {910, "hipErrorGraphExecUpdateFailure",
     "the graph update was not performed because it included changes which violated "
     "constraints specific to instantiated graph update"},
    {911, "hipErrorInvalidChannelDescriptor",
     "invalid resource description of texture passed to the api"},
    {912, "hipErrorInvalidTexture", "invalid texture object passed to the api"},
    {999, "hipErrorUnknown", "unknown error"},
    {1052, "hipErrorRuntimeMemory", "runtime memory call returned error"},
    {1053, "hipErrorRuntimeOther", "runtime call other than memory returned error"},
    {1054, "hipErrorTbd", "unknown error"},
};

template <std::size_t size>
const ErrorText* lookup(const ErrorText (&table)[size], std::int64_t value) {
  for (const ErrorText& entry : table) {
    if (entry.value == value) return &entry;
  }
  return nullptr;
}

}  // namespace

std::string errno_name(int error) {
  const ErrorText* entry = lookup(errno_table, error);
  return entry ? std::string(entry->name) : fmt::format("E?{}", error);
}

int errno_number(std::string_view name) {
  for (const ErrorText& entry : errno_table) {
    if (entry.name == name) return static_cast<int>(entry.value);
  }
  return 0;
}

std::string errno_text(int error) {
  if (error == 0) return "Success";
  const ErrorText* entry = lookup(errno_table, error);
  return entry ? std::string(entry->text) : fmt::format("Unknown error {}", error);
}

std::string name(HsaStatus status) {
  const auto value = static_cast<std::uint32_t>(status);
  const ErrorText* entry = lookup(hsa_table, value);
  return entry ? std::string(entry->name) : fmt::format("HSA_STATUS(0x{:X})", value);
}

std::string text(HsaStatus status) {
  const ErrorText* entry = lookup(hsa_table, static_cast<std::uint32_t>(status));
  if (!entry || entry->text.empty()) return name(status);
  return fmt::format("{}: {}", entry->name, entry->text);
}

std::string name(HipError error) {
  const ErrorText* entry = lookup(hip_table, static_cast<std::int32_t>(error));
  return entry ? std::string(entry->name) : "hipErrorUnknown";
}

std::string text(HipError error, int rocm_major) {
  if (rocm_major <= 5) return name(error);
  const ErrorText* entry = lookup(hip_table, static_cast<std::int32_t>(error));
  return entry ? std::string(entry->text) : "unknown error";
}

}  // namespace rocdrill
