// SPDX-License-Identifier: MIT
#include "ckdispatch/grouped_conv/layouts.hpp"

#include <string>

#include "ckdispatch/core/error.hpp"
#include "ckdispatch/grouped_conv/words.hpp"

namespace ckdispatch {
namespace {

constexpr GroupedConvLayout kLayouts[] = {
    {"nwgc", 1, false, "nwgc", "gkxc", "nwgk"},         {"nhwgc", 2, false, "nhwgc", "gkyxc", "nhwgk"},
    {"ndhwgc", 3, false, "ndhwgc", "gkzyxc", "ndhwgk"}, {"ngcw", 1, true, "ngcw", "gkcx", "ngkw"},
    {"ngchw", 2, true, "ngchw", "gkcyx", "ngkhw"},      {"ngcdhw", 3, true, "ngcdhw", "gkczyx", "ngkdhw"},
};

}  // namespace

const GroupedConvLayout& GroupedConvLayout::find(Name word) {
    std::string known;
    for (const GroupedConvLayout& layout : kLayouts) {
        if (layout.word == word.text()) return layout;
        known += (known.empty() ? "" : ", ") + std::string(layout.word);
    }
    throw InvalidArgumentError(std::string(kAGroupedConvolution) + " of the layout '" +
                               std::string(word.text().substr(0, 20)) + "' was asked for; the layouts are " + known +
                               ".");
}

const GroupedConvLayout* GroupedConvLayout::of(int ndim_spatial) {
    for (const GroupedConvLayout& layout : kLayouts)
        if (layout.ndim_spatial == ndim_spatial && !layout.channels_first) return &layout;
    return nullptr;
}

}  // namespace ckdispatch
