// request_firmware(): the driver's blobs as files of the host, in the kernel's search order.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/host/os.hpp"
#include "stack/gpu.hpp"

namespace rocdrill::firmware {

/// Content of a blob file. A real blob is opaque; what decides anything is its header.
struct BlobHeader {
  std::string name;             ///< "gc_9_4_3_mec.bin"
  std::uint32_t version = 0;    ///< ucode version, as fw_version/ shows it
  std::uint32_t interface = 0;  ///< SMU: the interface that it speaks; SOS: packed images
};
std::string blob_text(const BlobHeader& header);
/// nullopt: not a firmware file (a damaged header).
std::optional<BlobHeader> parse_blob(std::string_view text);

struct BlobResult {
  const FirmwareBlob* blob = nullptr;
  int error = 0;  ///< 0, ENOENT or EINVAL (bad header)
  std::uint32_t version = 0;
  std::uint32_t interface = 0;
  std::string path;        ///< where it was found; else the first place tried
  EventId why = no_event;  ///< event behind an error
};

/// What one device gets when its driver asks for all its firmware, in the driver's order: each
/// block stops at its first missing file, the next block is tried all the same. Reads files
/// only; records nothing, so that devices can be looked at in parallel.
std::vector<BlobResult> request_all(const sim::Os& os, const GpuProduct& product);

/// Whether the driver of this kernel fails without the blob.
bool is_required(const FirmwareBlob& blob, const std::string& kernel_release);

/// Folders that the kernel searches, first match wins (drivers/base/firmware_loader).
std::vector<std::string> search_path(const std::string& kernel_release);

}  // namespace rocdrill::firmware
