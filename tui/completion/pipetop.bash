# bash completion for pipetop. The candidates come from pipetop itself.

_pipetop() {
  local words=() word i
  for ((i = 1; i <= COMP_CWORD; ++i)); do
    word=${COMP_WORDS[i]}
    # Bash splits --wait=busy into three words.
    if ((i > 1)) && [[ $word == = || ${COMP_WORDS[i - 1]} == = ]]; then
      words[${#words[@]} - 1]+=$word
    else
      words+=("$word")
    fi
  done

  # Bash replaces only the last of them.
  local typed=${COMP_WORDS[COMP_CWORD]} whole=${words[${#words[@]} - 1]}
  [[ $typed == = ]] && typed=
  local kept=${whole%"$typed"} flag= line file
  [[ $typed == --*=* ]] && flag=${typed%%=*}=

  COMPREPLY=()
  while IFS= read -r line; do
    if [[ $line == ':files '* ]]; then
      compopt -o filenames
      while IFS= read -r file; do
        COMPREPLY+=("$flag$file")
      done < <(compgen -f -X "!*${line#:files }" -- "${typed#"$flag"}"
        compgen -d -- "${typed#"$flag"}")
    else
      line=${line%%$'\t'*}
      COMPREPLY+=("${line#"$kept"}")
    fi
  done < <("${1/#\~\//$HOME/}" complete-words "${words[@]}" 2>/dev/null)
}

complete -F _pipetop pipetop
