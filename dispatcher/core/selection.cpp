// SPDX-License-Identifier: MIT
#include "ckdispatch/core/selection.hpp"

namespace ckdispatch {

const char* basis_name(Basis basis) {
    switch (basis) {
        case Basis::cost_model: return "cost_model";
        case Basis::learned: return "learned";
        case Basis::beyond: return "beyond";
        case Basis::predictor: return "predictor";
    }
    return "";
}

}  // namespace ckdispatch
