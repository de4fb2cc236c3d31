#compdef pipetop
# Completion of pipetop for zsh. pipetop itself says what may come next.

_pipetop() {
  local program=${~words[1]} line word help ending found=1
  local -a candidates
  local -i files=0

  while IFS= read -r line; do
    if [[ $line == ':files '* ]]; then
      files=1 ending=${line#:files }
    else
      word=${line%%$'\t'*} help=${${line#"$word"}#$'\t'}
      candidates+=("${word//:/\\:}${help:+:$help}")
    fi
  done < <($program complete-words "${(@Q)words[2,CURRENT-1]}" "${(Q)PREFIX}" 2>/dev/null)

  (( $#candidates )) && _describe -V pipetop candidates && found=0
  if (( files )); then
    compset -P '--*='
    _files -g "*$ending(-.)" && found=0
  fi
  return found
}

# Loaded by its name, or read with `source`.
if [[ $funcstack[1] == _pipetop ]]; then
  _pipetop "$@"
else
  compdef _pipetop pipetop
fi
