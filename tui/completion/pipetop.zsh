#compdef pipetop
# zsh completion for pipetop. The candidates come from pipetop itself.

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

# Autoloaded by name, or read with `source`.
if [[ $funcstack[1] == _pipetop ]]; then
  _pipetop "$@"
else
  compdef _pipetop pipetop
fi
