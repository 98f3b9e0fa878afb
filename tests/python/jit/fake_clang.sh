#!/bin/sh
# SPDX-License-Identifier: MIT
#
# A compiler that answers and writes in no time. Its device pass copies the source, its host pass puts the source and
# the code objects together, and its linker puts a real library before that. Each step is noted in control/calls, and
# control/hook may do something else first; what it is given are the step and the source or output.
set -eu
home=${0%/*/*}
output='' source='' precompiling=no inputs='' step=link
for word; do
    case ${before-} in
    -o) output=$word ;;
    -c) source=$word ;;
    esac
    case $word in
    -print-prog-name=*) echo "$home/bin/${word#*=}"; exit ;;
    -print-file-name=*) echo "$home/lib/${word#*=}"; exit ;;
    -print-resource-dir) echo "$home/resource"; exit ;;
    -dumpmachine) echo fake-unknown-linux-gnu; exit ;;
    --version) cat "$home/version"; exit ;;
    -E)
        printf '#include <...> search starts here:\n %s\nEnd of search list.\n' "$home/include" >&2
        exit
        ;;
    -emit-pch) precompiling=yes ;;
    --cuda-device-only) step=device ;;
    --cuda-host-only) step=host ;;
    -input=*) inputs="$inputs ${word#*=}" ;;
    -output=*) output=${word#*=} step=bundle ;;
    esac
    before=$word
done
[ "$precompiling" = no ] || step=precompile
echo "$step ${source:-$output}" >>"$home/control/calls"
# shellcheck source=/dev/null
[ ! -e "$home/control/hook" ] || . "$home/control/hook"
# shellcheck disable=SC2086 # a list of names without spaces
case $step in
precompile | device) cat "$source" >"$output" ;;
bundle) cat $inputs >"$output" ;;
host) cat "$source" code.hipfb >"$output" ;;
link) cat "$home/library" kernel.o >"$output" ;;
esac
