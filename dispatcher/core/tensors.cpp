// SPDX-License-Identifier: MIT
#include "ckdispatch/core/tensors.hpp"

namespace ckdispatch {

void check_alignment(int bytes, std::string_view asked) {
    if (bytes < 1 || bytes > 16 || (bytes & (bytes - 1)))
        throw Error(ErrorCode::invalid_argument, std::string(asked) + " with addresses aligned to " + std::to_string(bytes) + " bytes was asked for; an alignment is 1, 2, 4, 8 or 16.");
}

}  // namespace ckdispatch
