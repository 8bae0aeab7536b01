#!/bin/sh
# bindings/c/install.sh PREFIX [FOLDER OF LIBRARIES]: builds libtabia and installs it with its header and the files for
# pkg-config and CMake. DESTDIR is put before the paths. TABIA_PROFILE=dev builds without optimisation.
set -eu
cd "$(dirname "$0")"
[ $# -ge 1 ] || { echo "name the prefix: bindings/c/install.sh /usr/local" >&2; exit 2; }
prefix=$1
libraries=${2:-lib}
profile=${TABIA_PROFILE:-release}
built=${CARGO_TARGET_DIR:-target}/$([ "$profile" = dev ] && echo debug || echo "$profile")
version=$(sed -n 's/^version = "\(.*\)"/\1/p' Cargo.toml | head -n 1)
abi=$(sed -n 's/^\([A-Z]*_\)\([0-9]*\) {$/\2/p' tabia.map)
needed="-lm -lpthread -ldl"

cargo build --quiet --locked --profile "$profile"
to=${DESTDIR:-}$prefix
install -d "$to/include" "$to/$libraries/pkgconfig" "$to/$libraries/cmake/tabia" "$to/share/doc/tabia"
install -m 644 tabia.h "$to/include/tabia.h"
install -m 644 "$built/libtabia.a" "$to/$libraries/libtabia.a"
install -m 644 ../../LICENSE-MIT ../../LICENSE-APACHE NOTICE "$to/share/doc/tabia/"

if [ "$(uname)" = Linux ]; then
    # Linked here and not by cargo, so that the symbols have a version: those of a later interface get another.
    "${CC:-cc}" -shared -o "$to/$libraries/libtabia.so.$abi" -Wl,-soname,"libtabia.so.$abi" \
        -Wl,--version-script=tabia.map -Wl,--gc-sections -Wl,--as-needed -Wl,-z,relro,-z,now \
        -Wl,--whole-archive "$built/libtabia.a" -Wl,--no-whole-archive $needed
    [ "$profile" = dev ] || strip --strip-unneeded "$to/$libraries/libtabia.so.$abi"
    ln -sf "libtabia.so.$abi" "$to/$libraries/libtabia.so"
    shared="$libraries/libtabia.so.$abi"
elif [ "$(uname)" = Darwin ]; then
    install -m 755 "$built/libtabia.dylib" "$to/$libraries/libtabia.dylib"
    shared="$libraries/libtabia.dylib"
else
    echo "the system has no rule here: copy $built/tabia.dll by hand" >&2
    exit 1
fi

cat >"$to/$libraries/pkgconfig/tabia.pc" <<END
prefix=$prefix
libdir=\${prefix}/$libraries
includedir=\${prefix}/include

Name: tabia
Description: Chess databases and opening books
Version: $version
Libs: -L\${libdir} -ltabia
Libs.private: $needed
Cflags: -I\${includedir}
END

# Up from the folder of these files, so that an installation can be moved.
up=$(echo "$libraries/cmake/tabia" | sed 's,[^/][^/]*,..,g')
cat >"$to/$libraries/cmake/tabia/tabia-config.cmake" <<END
get_filename_component(_tabia_prefix "\${CMAKE_CURRENT_LIST_DIR}/$up" ABSOLUTE)
if(NOT TARGET tabia::tabia)
  add_library(tabia::tabia SHARED IMPORTED)
  set_target_properties(tabia::tabia PROPERTIES
    IMPORTED_LOCATION "\${_tabia_prefix}/$shared"
    INTERFACE_INCLUDE_DIRECTORIES "\${_tabia_prefix}/include")
  add_library(tabia::static STATIC IMPORTED)
  set_target_properties(tabia::static PROPERTIES
    IMPORTED_LOCATION "\${_tabia_prefix}/$libraries/libtabia.a"
    INTERFACE_INCLUDE_DIRECTORIES "\${_tabia_prefix}/include"
    INTERFACE_LINK_LIBRARIES "m;pthread;dl")
endif()
set(tabia_FOUND TRUE)
unset(_tabia_prefix)
END
cat >"$to/$libraries/cmake/tabia/tabia-config-version.cmake" <<END
set(PACKAGE_VERSION "$version")
if(PACKAGE_FIND_VERSION VERSION_GREATER PACKAGE_VERSION)
  set(PACKAGE_VERSION_COMPATIBLE FALSE)
else()
  set(PACKAGE_VERSION_COMPATIBLE TRUE)
  if(PACKAGE_FIND_VERSION VERSION_EQUAL PACKAGE_VERSION)
    set(PACKAGE_VERSION_EXACT TRUE)
  endif()
endif()
END
