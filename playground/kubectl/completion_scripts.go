//go:build !js || cel

package kubectl

import (
	"errors"
	"fmt"
)

// runCompletion is kubectl completion. Upstream: kubectl pkg/cmd/completion/completion.go, RunCompletion.
func runCompletion(s *session) error {
	const see = "\nSee 'kubectl completion -h' for help and examples"
	switch len(s.args) {
	case 0:
		return errors.New("Shell not specified." + see)
	case 1:
	default:
		return errors.New("Too many arguments. Expected only the shell type." + see)
	}
	script, is := completionScripts[s.args[0]]
	if !is {
		return fmt.Errorf("Unsupported shell type %q.%s", s.args[0], see)
	}
	s.printf("%s", script)
	return nil
}

// completionScripts are ours, by shell: each asks __complete, as those of upstream do. They leave out what a shell needs only for other answers than ours.
// Upstream: github.com/spf13/cobra, bash_completionsV2.go, zsh_completions.go, fish_completions.go, powershell_completions.go.
var completionScripts = map[string]string{
	"bash": `# bash completion for kubectl
__start_kubectl() {
    local line=${COMP_LINE:0:COMP_POINT} words last out word IFS=$' \t\n'
    read -ra words <<<"$line"
    [[ $line == *[[:space:]] ]] && words+=("")
    last=${words[${#words[@]}-1]}
    out=$(kubectl __completeNoDesc "${words[@]:1}" 2>/dev/null)
    COMPREPLY=()
    while IFS= read -r word; do
        [[ -n $word && $word == "$last"* ]] && COMPREPLY+=("$word")
    done <<<"${out%:*}"
    ((${out##*:} & 4)) && compopt +o default 2>/dev/null
    # bash puts an answer in the place of what follows the last = or :
    COMPREPLY=("${COMPREPLY[@]#"${last%"${last##*[=:]}"}"}")
}
complete -o default -F __start_kubectl kubectl
`,
	"zsh": `#compdef kubectl
compdef _kubectl kubectl
# zsh completion for kubectl
_kubectl() {
    local line
    local -a out found
    out=("${(@f)$(kubectl __complete "${(@)words[2,CURRENT]}" 2>/dev/null)}")
    for line in "${(@)out[1,-2]}"; do
        found+=("${${line//:/\\:}/$'\t'/:}")
    done
    _describe kubectl found || ((${out[-1]#:} & 4)) || _files
}
[[ $funcstack[1] = _kubectl ]] && _kubectl
`,
	"fish": `# fish completion for kubectl
function __kubectl_ask
    set -l words (commandline -opc)
    set -l last (commandline -ct)
    set -g __kubectl_found (kubectl __complete $words[2..-1] "$last" 2>/dev/null)
    set -l directive (string sub -s 2 -- $__kubectl_found[-1])
    set -e __kubectl_found[-1]
    test (count $__kubectl_found) -gt 0; or test "$directive" = 4
end
complete -c kubectl -e
complete -c kubectl -n __kubectl_ask -f -a '$__kubectl_found'
`,
	"powershell": `# powershell completion for kubectl
Register-ArgumentCompleter -Native -CommandName kubectl -ScriptBlock {
    param($last, $line, $at)
    $words = @($line.CommandElements | Select-Object -Skip 1 | Where-Object { $_.Extent.StartOffset -lt $at } | ForEach-Object { "$_" })
    if ($last -eq '') {
        # An older PowerShell leaves out an empty argument.
        $words += if ($PSVersionTable.PSVersion -ge [version]'7.3') { '' } else { '""' }
    }
    foreach ($answer in @(kubectl __complete @words 2>$null)) {
        $word, $about = $answer -split "` + "`t" + `", 2
        if ($word -like "$last*" -and $word -notmatch '^:\d+$') {
            [System.Management.Automation.CompletionResult]::new($word, $word, 'ParameterValue', $(if ($about) { $about } else { $word }))
        }
    }
}
`,
}
