#include "sim/firmware/gates.hpp"

namespace rocdrill::firmware {

std::uint32_t mec_without_pcie_atomics(const GpuProduct& product) {
  const IpVersion gc = product.gc;
  if (gc >= IpVersion{12, 0, 0}) return 2090;
  if (gc >= IpVersion{11, 0, 0}) return 509;
  if (gc == IpVersion{10, 3, 6}) return 14;
  if (gc == IpVersion{10, 3, 7}) return 3;
  if (gc >= IpVersion{10, 3, 0}) return 92;
  if (gc >= IpVersion{10, 1, 1}) return 145;
  return 0;
}

std::uint32_t mec_version(const std::vector<BlobResult>& blobs) {
  for (const BlobResult& result : blobs) {
    if (result.error == 0 && result.blob->file.find("_mec.bin") != std::string_view::npos)
      return result.version;
  }
  return 0;
}

}  // namespace rocdrill::firmware
