package cluster_test

import (
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

// A shell in a container runs line after line, in one process: it keeps its directory and its variables.
func TestTypeIntoAShell(t *testing.T) {
	c := up(t)
	typed(t, c, `run box --image=busybox --restart=Never -- sleep 1000`, "")
	typed(t, c, "wait --for=condition=Ready pod/box", "")
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
	c := up(t)
	typed(t, c, `run box --image=busybox --restart=Never -- sleep 1000`, "")
	typed(t, c, "wait --for=condition=Ready pod/box", "")
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
	c := up(t)
	typed(t, c, `run box --image=busybox --restart=Never -- sleep 1000`, "")
	typed(t, c, "wait --for=condition=Ready pod/box", "")
	for line, want := range map[string]string{
		"exec -it box -- echo hello":           "hello",
		"exec -it box -- sh -c 'exit 3'":       "command terminated with exit code 3",
		"exec -it box -- nosuch":               "exec: \"nosuch\": executable file not found in $PATH",
		"exec -it nosuch -- sh":                `Error from server (NotFound): pods "nosuch" not found`,
		"exec -it box -c other -- sh":          "error: container other is not valid for pod box out of: box",
		"exec -it box -- cat":                  "",
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
