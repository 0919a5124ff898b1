// The kernel's share in placing PCI resources: what it leaves of the firmware's assignment.
#pragma once

#include "sim/host/os.hpp"

namespace rocdrill::kernel {

/// pci=realloc with room for virtual functions (SR-IOV) makes the kernel place all memory anew, the
/// functions' BARs among it; the 32-bit window of a GPU's port is then too small, and its register
/// BAR gets no address. That is how https://github.com/ROCm/ROCm/issues/6281 describes it.
void assign_resources(sim::Os& os);

/// Whether the IOMMU translates what devices ask for: the kernels' default, which iommu=pt,
/// iommu.passthrough=1 and amd_iommu=off change.
bool iommu_translates(std::string_view cmdline);

/// Whether the device's registers have an address.
bool has_registers(const sim::PciDevice& device);

}  // namespace rocdrill::kernel
