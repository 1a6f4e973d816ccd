/** What `quaero __complete` prints in place of candidates where the shell completes files itself. */
export const filesDirective = ':files'

/** For each shell the script that asks `quaero __complete` for what may come at the cursor. */
export const shellScripts = {
  bash: `# Load it with: source <(quaero completion bash)
_quaero() {
  local IFS=$'\\n' found line
  COMPREPLY=()
  found=$("$1" __complete -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null) || return
  if [[ $found == '${filesDirective}' ]]; then
    compopt -o default 2>/dev/null
    return
  fi
  for line in $found; do COMPREPLY+=("\${line%%$'\\t'*}"); done
}
complete -F _quaero quaero
`,
  zsh: `#compdef quaero
# Load it with: source <(quaero completion zsh)
_quaero() {
  local -a found
  found=("\${(@f)$(\${words[1]} __complete -- "\${(@)words[2,CURRENT]}" 2>/dev/null)}")
  if [[ $found[1] == '${filesDirective}' ]]; then
    _files
  elif [[ -n $found[1] ]]; then
    found=("\${(@)found//:/\\\\:}")
    found=("\${(@)found/$'\\t'/:}")
    _describe 'quaero' found
  fi
}
compdef _quaero quaero
`,
  fish: `# Load it with: quaero completion fish | source
function __quaero_complete
  set -l words (commandline -opc)
  set -l current (commandline -ct)
  set -l found (quaero __complete -- $words[2..-1] "$current" 2>/dev/null)
  if test "$found" = '${filesDirective}'
    __fish_complete_path "$current"
  else
    printf '%s\\n' $found
  end
end
complete -c quaero -f -a '(__quaero_complete)'
`,
} as const

export type Shell = keyof typeof shellScripts
