# Run by cpack when the files of a package are in place: compresses the man page and adds what Debian expects in
# share/doc: copyright and changelogs.
if(NOT CPACK_GENERATOR STREQUAL DEB)
  return()
endif()
set(root ${CPACK_TEMPORARY_DIRECTORY}/usr)
set(package ${CPACK_DEBIAN_PACKAGE_NAME})
if(NOT package)
  set(package ${CPACK_PACKAGE_NAME})
endif()
set(documents ${root}/share/doc/${package})
file(MAKE_DIRECTORY ${documents})

function(compress file)
  execute_process(COMMAND gzip --best --no-name --force ${file} COMMAND_ERROR_IS_FATAL ANY)
endfunction()

# The date of the latest commit, else of the changelog, so that the same source makes the same package.
execute_process(COMMAND git -C ${CPACK_DROPMD_SOURCE_DIR} log -1 --format=%cD
                OUTPUT_VARIABLE date ERROR_QUIET OUTPUT_STRIP_TRAILING_WHITESPACE)
if(NOT date)
  file(TIMESTAMP ${CPACK_DROPMD_SOURCE_DIR}/CHANGELOG.md date "%a, %d %b %Y %H:%M:%S +0000" UTC)
endif()
file(WRITE ${documents}/changelog.Debian
"${package} (${CPACK_PACKAGE_VERSION}-${CPACK_DEBIAN_PACKAGE_RELEASE}) unstable; urgency=medium

  * A package of dropmd; its changes are in changelog.gz.

 -- ${CPACK_DEBIAN_PACKAGE_MAINTAINER}  ${date}
")
compress(${documents}/changelog.Debian)
file(COPY_FILE ${CPACK_DROPMD_SOURCE_DIR}/CHANGELOG.md ${documents}/changelog)
compress(${documents}/changelog)
compress(${root}/share/man/man1/dropmd.1)

file(READ ${CPACK_DROPMD_SOURCE_DIR}/LICENSE license)
string(REGEX MATCH "Copyright \\(c\\) ([^\n]*)" holder "${license}")
set(holder ${CMAKE_MATCH_1})
string(REGEX REPLACE "^.*Copyright[^\n]*\n+" "" license "${license}")
string(STRIP "${license}" license)
string(REGEX REPLACE "\n\n" "\n.\n" license "${license}")
string(REGEX REPLACE "\n" "\n " license "${license}")
file(WRITE ${documents}/copyright
"Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/
Upstream-Name: dropmd

Files: *
Copyright: ${holder}
License: BSD-3-Clause
 ${license}
")
file(CHMOD ${documents}/copyright ${documents}/changelog.gz ${documents}/changelog.Debian.gz ${root}/share/man/man1/dropmd.1.gz
     PERMISSIONS OWNER_READ OWNER_WRITE GROUP_READ WORLD_READ)
