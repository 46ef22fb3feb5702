package kubectl

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"kubewalk/playground/sim"
	"kubewalk/playground/trace"
)

// ranAlone is what becomes of a command line that asks no server.
func ranAlone(t *testing.T, args ...string) Result {
	t.Helper()
	k := sim.New(1, time.Unix(0, 0), trace.NewRecorder(trace.Off))
	defer k.Close()
	var r Result
	k.Start("kubectl").Go("kubectl", func(p *sim.Proc) { r = New(nil).Run(p, args, nil) })
	for k.Step() {
	}
	return r
}

// __complete answers as cobra's does, whatever the words are.
func TestCompleteCommand(t *testing.T) {
	const noFile, file = "Completion ended with directive: ShellCompDirectiveNoFileComp", "Completion ended with directive: ShellCompDirectiveDefault"
	for _, test := range []struct {
		args             []string
		want, complaints string
	}{
		{[]string{"__complete", "get", "self"}, ":4", noFile},
		{[]string{"__complete", "get", "poddis"}, "poddisruptionbudgets\n:4", noFile},
		{[]string{"__complete", "rollout", "un"}, "undo\tGo back to an earlier revision\n:4", noFile},
		{[]string{"__completeNoDesc", "rollout", "un"}, "undo\n:4", noFile},
		{[]string{"__complete", "rollout", "und", ""}, ":0", file},
		{[]string{"__complete", "logs", "--tim"}, "--timestamps\tPut the time in front of each line.\n:4", noFile},
		{[]string{"__complete", "--help", "scale", "--repl"}, ":4", noFile},
		{[]string{"__complete", "scale", "--repl"}, "--replicas\tHow many Pods.\n:4", noFile},
		{[]string{"__complete", "completion", ""}, "bash\nfish\npowershell\nzsh\n:4", noFile},
		{[]string{"__complete", "apply", "-f", ""}, ":0", file},
		{[]string{"__complete", "create", "secret", "tls", "a b", "--cert="}, ":0", file},
		{[]string{"__complete"}, "", "error: requires at least 1 arg(s), only received 0"},
	} {
		if r := ranAlone(t, test.args...); r.Stdout != test.want || r.Stderr != test.complaints {
			t.Errorf("%q\nprints %q %q\nwant   %q %q", test.args, r.Stdout, r.Stderr, test.want, test.complaints)
		}
	}
	if strings.Contains(help(""), completeName) || Name([]string{completeName, "get", "--nosuch"}) != completeName {
		t.Error("__complete is not hidden, or reads flags")
	}
}

func TestCompletionNeedsAShell(t *testing.T) {
	const see = "\nSee 'kubectl completion -h' for help and examples"
	for line, want := range map[string]string{
		"completion":          "error: Shell not specified." + see,
		"completion bash zsh": "error: Too many arguments. Expected only the shell type." + see,
		"completion tcsh":     `error: Unsupported shell type "tcsh".` + see,
	} {
		if r := ranAlone(t, strings.Fields(line)...); r.Stderr != want || !r.Failed || r.Stdout != "" {
			t.Errorf("%s: %+v", line, r)
		}
	}
}

// The script for bash completes in a real bash, in which kubectl is this one.
func TestBashCompletes(t *testing.T) {
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("there is no bash")
	}
	for line, want := range map[string]string{
		"kubectl rollout un":               "undo",
		"kubectl rollout st":               "status",
		"kubectl rollout re":               "restart|resume",
		"k completion ":                    "bash|fish|powershell|zsh", // an alias, as kubectl's documentation sets it up
		"kubectl completion fi":            "fish",
		"kubectl get --show-l":             "--show-labels",
		"kubectl get poddis":               "poddisruptionbudgets",
		"kubectl rollout nosuch ":          "",
		"kubectl apply -f ":                "",
		"kubectl create secret tls a --ce": "--cert",
		"kubectl set image deploy/web un=": "",
		"kubectl get pods -l 'a b' --no-h": "--no-headers",
		"kubectl explain depl":             "deployments",
	} {
		got := inBash(t, bash, line)
		if got != want {
			t.Errorf("%q: %q, want %q", line, got, want)
		}
	}
	// Behind a =, bash replaces only what follows.
	if got := inBash(t, bash, "kubectl x:y=de", "x:y=default\nx:other\n:4"); got != "default" {
		t.Errorf("behind =: %q", got)
	}
	if got := inBash(t, bash, "kubectl x", "x\tan x\nxy\ty\nz\n:4"); got != "x\tan x|xy\ty" {
		t.Errorf("only what begins with the word: %q", got)
	}
}

// inBash is what the script offers at the end of a line. answer is what kubectl prints there; without, it is what ours does.
func inBash(t *testing.T, bash, line string, answer ...string) string {
	t.Helper()
	want := append([]string{completeName + "NoDesc"}, strings.Fields(line)[1:]...)
	if strings.HasSuffix(line, " ") {
		want = append(want, "")
	}
	if len(answer) == 0 {
		answer = append(answer, ranAlone(t, want...).Stdout)
	}
	folder := t.TempDir()
	for name, text := range map[string]string{"completion": ranAlone(t, "completion", "bash").Stdout + "\n", "answer": answer[0] + "\n"} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.Command(bash, "--norc", "-c", `kubectl() {
    printf '%s|' "$@" >asked
    cat answer
    echo "Completion ended with directive: …" >&2
}
source ./completion
COMP_LINE=$1 COMP_POINT=${#1} IFS='|'
eval "$(complete -p kubectl | sed 's/.*-F \(\S*\).*/\1/')"
printf '%s' "${COMPREPLY[*]}"
`, "bash", line)
	cmd.Dir = folder
	var complaints strings.Builder
	cmd.Stderr = &complaints
	out, err := cmd.Output()
	asked, _ := os.ReadFile(filepath.Join(folder, "asked"))
	if err != nil || complaints.Len() > 0 || string(asked) != strings.Join(want, "|")+"|" {
		t.Errorf("%q: %v: %s\nasks %q, want %q", line, err, complaints.String(), asked, want)
	}
	return string(out)
}
