# CPack runs this on the files to be packaged: Debian compresses its man pages.
file(GLOB_RECURSE files ${CPACK_TEMPORARY_INSTALL_DIRECTORY}/*)
list(FILTER files INCLUDE REGEX "/man/man[1-9]/[^/]*[1-9]$")
foreach(page ${files})
  execute_process(COMMAND gzip -9 -n ${page} COMMAND_ERROR_IS_FATAL ANY)
endforeach()
