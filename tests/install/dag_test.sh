#!/usr/bin/env bash
# Who may see whom: a header that the component DAG forbids does not compile, one that it allows
# does. Arguments: compiler, then NAME=dir:dir:... for each component.
set -u
compiler=$1
shift
declare -A includes
for pair in "$@"; do includes[${pair%%=*}]=${pair#*=}; done

failed=0
try() {  # expectation component header
  local flags=() directory
  IFS=: read -ra list <<<"${includes[$2]}"
  for directory in "${list[@]}"; do flags+=(-I "$directory"); done
  if printf '#include "%s"\n' "$3" | "$compiler" -std=c++23 -fsyntax-only "${flags[@]}" -x c++ - 2>/tmp/dag.$$; then
    result=allowed
  elif grep -q "$3: No such file" /tmp/dag.$$; then
    result=forbidden
  else
    result=broken
    cat /tmp/dag.$$
  fi
  if [ "$result" = "$1" ]; then echo "ok    $2: $3 is $1"; else
    echo "FAIL  $2: $3 should be $1, is $result"
    failed=1
  fi
}

try forbidden stack sim/host/os.hpp
try forbidden host sim/silicon/board.hpp
try forbidden silicon sim/kernel/kfd.hpp
try forbidden firmware sim/kernel/kernel.hpp
try forbidden kernel sim/access/process.hpp
try forbidden access sim/rocr/rocr.hpp
try forbidden code_objects sim/host/os.hpp
try forbidden rocr sim/kernel/kernel.hpp
try forbidden rocr sim/silicon/board.hpp
try forbidden hip sim/access/process.hpp
try forbidden hip sim/kernel/kernel.hpp
try forbidden libraries sim/kernel/kernel.hpp
try forbidden frameworks sim/access/process.hpp
try forbidden frameworks sim/node.hpp
try forbidden checks sim/node.hpp
try allowed silicon sim/host/os.hpp
try allowed firmware sim/silicon/board.hpp
try allowed kernel sim/firmware/loader.hpp
try allowed access sim/host/os.hpp
try allowed rocr stack/process.hpp
try allowed hip sim/code_objects/fat_binary.hpp
try allowed libraries sim/hip/hip.hpp
try allowed frameworks sim/libraries/rocblas.hpp
rm -f /tmp/dag.$$

# A relative include would go round the include directories.
if grep -rnE '#include "\.\.?/' "$(dirname "$0")"/../../{stack,sim,scenarios,cli}; then
  echo "FAIL  relative includes"
  failed=1
fi
exit $failed
