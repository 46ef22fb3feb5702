package cluster_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"kubewalk/playground/cluster"
)

// keys types a line to the command that goes on, and lets it answer.
func keys(t *testing.T, c *cluster.Cluster, lines ...string) (failure string) {
	t.Helper()
	for _, line := range lines {
		n := len(c.Outcomes())
		schedule(t, c, cluster.Input{At: c.Elapsed(), Kind: cluster.Type, Value: line})
		c.RunUntil(c.Elapsed() + time.Second)
		failure += c.Outcomes()[n].Error
	}
	return failure
}

// withBox is a cluster with a Pod in which commands can be run.
func withBox(t *testing.T) *cluster.Cluster {
	t.Helper()
	c := up(t)
	typed(t, c, `run box --image=busybox --restart=Never -- sleep 1000`, "")
	typed(t, c, "wait --for=condition=Ready pod/box", "")
	return c
}

// A shell in a container runs line after line, in one process: it keeps its directory and its variables.
func TestTypeIntoAShell(t *testing.T) {
	c := withBox(t)
	n := len(c.Outcomes())
	typed(t, c, "exec -it box -- sh", "")
	if got := soFar(c, n); got != "/ # " {
		t.Errorf("at first: %q", got)
	}
	keys(t, c, "cd /etc", "x=3", "echo $x; pwd", "nosuch", "if true", "then echo yes", "fi", "cat <<EOF > /tmp/a", "one $x", "EOF", "cat /tmp/a", "echo 'a", "b'", "fi", "")
	want := `/ # cd /etc
/etc # x=3
/etc # echo $x; pwd
3
/etc
/etc # nosuch
sh: nosuch: not found
/etc # if true
> then echo yes
> fi
yes
/etc # cat <<EOF > /tmp/a
> one $x
> EOF
/etc # cat /tmp/a
one 3
/etc # echo 'a
> b'
a
b
/etc # fi
sh: syntax error: unexpected fi
/etc # 
/etc # `
	if got := soFar(c, n); got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
	keys(t, c, "exit 4")
	if got := soFar(c, n); !strings.HasSuffix(got, "/etc # exit 4\ncommand terminated with exit code 4") || !c.Outcomes()[n].Done {
		t.Errorf("at the end: %q", got)
	}
	if got := keys(t, c, "ls"); !strings.Contains(got, "no command reads what is typed") {
		t.Errorf("after the end: %q", got)
	}
	if got := typed(t, c, "exec box -- cat /tmp/a", ""); got != "one 3" {
		t.Errorf("what the shell wrote: %q", got)
	}
}

// Ctrl-C ends what runs and not the shell, Ctrl-D ends the shell, and so do the next command, the container's end and -it of another program's.
func TestEndOfAShell(t *testing.T) {
	c := withBox(t)
	n := len(c.Outcomes())
	typed(t, c, "exec -it box -- sh", "")
	keys(t, c, "sleep 100", "\x03", "echo $?", "\x03")
	if got := soFar(c, n); got != "/ # sleep 100\n^C\n/ # echo $?\n130\n/ # ^C\n/ # " {
		t.Errorf("%q", got)
	}
	keys(t, c, "true", "\x04")
	if got := soFar(c, n); !strings.HasSuffix(got, "/ # true\n/ # ^D") || !c.Outcomes()[n].Done {
		t.Errorf("after Ctrl-D: %q", got)
	}
	for _, end := range []string{"get pods", "delete pod box --now"} {
		n = len(c.Outcomes())
		typed(t, c, "exec -i box -- sh", "") // without a terminal there is no prompt
		keys(t, c, "echo here; sleep 1000")
		typed(t, c, end, "")
		c.RunUntil(c.Elapsed() + 20*time.Second)
		if got := soFar(c, n); got != "here" {
			t.Errorf("$ %s: %q", end, got)
		}
	}
	if got := keys(t, c, "ls"); got == "" {
		t.Error("somebody reads on")
	}
}

// A program that is no shell runs as without a terminal.
func TestATerminalForAnotherProgram(t *testing.T) {
	c := withBox(t)
	for line, want := range map[string]string{
		"exec -it box -- echo hello":           "hello",
		"exec -it box -- sh -c 'exit 3'":       "command terminated with exit code 3",
		"exec -it box -- nosuch":               "exec: \"nosuch\": executable file not found in $PATH",
		"exec -it nosuch -- sh":                `Error from server (NotFound): pods "nosuch" not found`,
		"exec -it box -c other -- sh":          "error: container other is not valid for pod box out of: box",
		"exec -it box -- sh -c 'echo 1 | cat'": "1",
	} {
		n := len(c.Outcomes())
		typed(t, c, line, "")
		c.RunUntil(c.Elapsed() + 2*time.Second)
		if got := soFar(c, n); !c.Outcomes()[n].Done || !strings.HasSuffix(got, want) || want == "" && got != "" {
			t.Errorf("$ %s: %q, want %q", line, got, want)
		}
	}
}

// run -it and debug -it attach to the container's own shell: what is typed goes to it, its end is the container's, and attach leads back to one that was
// left.
func TestTypeIntoAContainersOwnShell(t *testing.T) {
	c := up(t)
	n := len(c.Outcomes())
	typed(t, c, "run box -it --rm --restart=Never --image=busybox", "")
	c.RunUntil(c.Elapsed() + 5*time.Second)
	keys(t, c, "echo hello; cd /tmp", "exit 3")
	c.RunUntil(c.Elapsed() + 5*time.Second)
	want := "/ # echo hello; cd /tmp\nhello\n/tmp # exit 3\npod \"box\" deleted from default namespace\nAll commands and output from this session will be recorded in " +
		"container logs, including credentials and sensitive information passed through the command prompt.\nIf you don't see a command prompt, try pressing enter.\n" +
		"pod default/box terminated (Error)"
	if got := soFar(c, n); got != want {
		t.Errorf("run -it --rm: %q", got)
	}
	n = len(c.Outcomes())
	typed(t, c, "run box -it --image=busybox --quiet", "")
	c.RunUntil(c.Elapsed() + 5*time.Second)
	keys(t, c, "x=3", "echo one")
	if got := typed(t, c, "logs box", ""); got != "one" {
		t.Errorf("logs: %q", got)
	}
	if got := soFar(c, n); got != "/ # x=3\n/ # echo one\none\n/ # " {
		t.Errorf("run -it: %q", got)
	}
	n = len(c.Outcomes())
	typed(t, c, "attach -it box", "")
	keys(t, c, "", "echo $x", "\x04")
	c.RunUntil(c.Elapsed() + 5*time.Second)
	ended := "Session ended, resume using 'kubectl attach box -c box -i -t' command when the pod is running"
	if got, _, _ := strings.Cut(soFar(c, n), "\nAll commands"); got != "\n/ # echo $x\n3\n/ # ^D\n"+ended {
		t.Errorf("attach -it: %q", got)
	}
	if got := typed(t, c, "get pod box -o jsonpath={.status.containerStatuses[0].restartCount}", ""); got != "1" {
		t.Errorf("restarts: %q", got)
	}
	n = len(c.Outcomes())
	typed(t, c, "debug -it box --image=busybox --target=box -q", "")
	c.RunUntil(c.Elapsed() + 5*time.Second)
	keys(t, c, "sleep 100", "\x03", "echo $?")
	if got := soFar(c, n); got != "/ # sleep 100\n^C\n/ # echo $?\n130\n/ # " {
		t.Errorf("debug -it: %q", got)
	}
	n = len(c.Outcomes())
	typed(t, c, "attach -it box -c debugger-1 -q", "")
	typed(t, c, "delete pod box --now", "")
	c.RunUntil(c.Elapsed() + 40*time.Second)
	if !c.Outcomes()[n].Done {
		t.Error("attach outlives its container")
	}
	for line, want := range map[string]string{
		"run a --rm --image=busybox":                                      "error: --rm should only be used for attached containers",
		"run a -it --image=busybox --dry-run=client":                      "can't be used with attached containers options",
		"run a -t --image=busybox":                                        "-i/--stdin is required for containers with -t/--tty=true",
		"run b --attach --restart=Never --image=busybox -q -- echo hello": "hello",
	} {
		n := len(c.Outcomes())
		typed(t, c, line, "")
		c.RunUntil(c.Elapsed() + 5*time.Second)
		if got := soFar(c, n); !strings.Contains(got, want) {
			t.Errorf("$ %s: %q, want %q", line, got, want)
		}
	}
}

// What a shell runs reads what is typed, until Ctrl-D.
func TestTypeToWhatAShellRuns(t *testing.T) {
	c := withBox(t)
	n := len(c.Outcomes())
	typed(t, c, "exec -it box -- sh", "")
	keys(t, c, "cat > /tmp/a", "one", "two", "\x04", "wc -l", "x", "\x04", "read -p 'name: ' a b", "Ada  Lovelace of London", "echo $a, $b", "cat", "back", "\x03", "echo $?",
		"sh", "echo inner; exit 3", "echo $?", "wc -l < /tmp/a", "echo 'echo from a pipe' | sh", "read 1", "x")
	want := `/ # cat > /tmp/a
one
two
/ # wc -l
x
1
/ # read -p 'name: ' a b
name: Ada  Lovelace of London
/ # echo $a, $b
Ada, Lovelace of London
/ # cat
back
back
^C
/ # echo $?
130
/ # sh
/ # echo inner; exit 3
inner
/ # echo $?
3
/ # wc -l < /tmp/a
2
/ # echo 'echo from a pipe' | sh
from a pipe
/ # read 1
x
read: bad variable name
/ # `
	if got := soFar(c, n); got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
	n = len(c.Outcomes())
	typed(t, c, "exec -it box -- cat", "")
	keys(t, c, "hello", "\x04")
	if got := soFar(c, n); got != "hello\nhello" || !c.Outcomes()[n].Done {
		t.Errorf("exec -it -- cat: %q", got)
	}
	n = len(c.Outcomes())
	typed(t, c, "run asks -it --rm -q --restart=Never --image=busybox -- sh -c 'read name; echo hello $name; exit 2'", "")
	c.RunUntil(c.Elapsed() + 5*time.Second)
	keys(t, c, "Ada")
	c.RunUntil(c.Elapsed() + 5*time.Second)
	if got := soFar(c, n); !strings.HasPrefix(got, "Ada\nhello Ada\n") || !strings.HasSuffix(got, "terminated (Error)") {
		t.Errorf("a script that reads: %q", got)
	}
}

// Ctrl-C ends a command that goes on and reads nothing, as the next command does, and the trace tells from when to when it goes on.
func TestCtrlCEndsACommandThatGoesOn(t *testing.T) {
	c := up(t)
	for _, line := range []string{"get nodes -w", "get events -w", "logs -f nosuch"} {
		n := len(c.Outcomes())
		typed(t, c, line, "")
		c.RunUntil(c.Elapsed() + time.Second)
		failure := keys(t, c, "\x03")
		if again := keys(t, c, "\x03"); again == "" {
			t.Errorf("$ %s: Ctrl-C twice has something to end", line)
		}
		if ends := strings.HasSuffix(line, "-w"); ends != (failure == "") {
			t.Errorf("$ %s: Ctrl-C: %q; %q", line, failure, soFar(c, n))
		}
	}
	states := ""
	for _, e := range c.Trace().Events(1) {
		for _, a := range e.Attrs {
			if a.Key == "terminal" {
				states += fmt.Sprint(a.Value) + " "
			}
		}
	}
	if states != "runs over runs over " {
		t.Error(states)
	}
}
