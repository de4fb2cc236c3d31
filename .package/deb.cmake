# The Debian package; ./dev package makes it.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME pipetop)
set(CPACK_PACKAGE_CONTACT "The pipetop authors <pipetop@localhost>")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_PRE_BUILD_SCRIPTS ${CMAKE_CURRENT_LIST_DIR}/compress.cmake)

set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION utils)
set(CPACK_DEBIAN_PACKAGE_PRIORITY optional)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_DESCRIPTION "oscilloscope for Linux pipes
pipetop drives a pipe with real processes, lets you change how while data
flows, and shows on one screen why each change matters: the rate, the slots
of the ring, and the kernel functions where time is spent. It can also
measure without a screen, for scripts.")

include(CPack)
