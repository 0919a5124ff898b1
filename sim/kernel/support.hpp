// docs/kfd-support.md, made from the tables that the code dispatches on.
#pragma once

#include <string>

namespace rocdrill::kernel {

std::string kfd_support_markdown();

}  // namespace rocdrill::kernel
