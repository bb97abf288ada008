#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# try.sh PREFIX WORK_DIR: builds and runs app.c against the tree installed at PREFIX, with CMake, with
# pkg-config, and with pkg-config against the static library.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
prefix=$(cd "$1" && pwd)
mkdir -p "$2"
cd "$2"
cmake -S "$here" -B cmake -DCMAKE_PREFIX_PATH="$prefix" >/dev/null
cmake --build cmake
./cmake/app
libdir=$(dirname "$(find "$prefix" -name libprim.so)")
export PKG_CONFIG_PATH=$libdir/pkgconfig LD_LIBRARY_PATH=$libdir
# shellcheck disable=SC2046
cc "$here/app.c" -o shared_app $(pkg-config --cflags --libs prim)
./shared_app
cc "$here/app.c" -o static_app $(pkg-config --cflags prim) "$libdir/libprim.a" \
    $(pkg-config --static --libs prim | sed 's/-lprim//')
./static_app
