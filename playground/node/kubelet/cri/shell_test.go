package cri_test

import (
	"strings"
	"testing"
	"time"

	"kubewalk/playground/node/kubelet/cri"
	"kubewalk/playground/sim"
)

// turns is a script that takes a little CPU time.
const turns = -1

// TestScripts: what a shell writes, how long it takes and what it ends with.
func TestScripts(t *testing.T) {
	for _, c := range []struct {
		name, script string
		log          string // lines split at |
		takes        time.Duration
		code         int32
	}{
		{"sleep and exit", "sleep 5; exit 3", "", 5 * time.Second, 3},
		{"and", "echo hello && sleep 2", "hello", 2 * time.Second, 0},
		{"and after a failure", "false && sleep 2", "", 0, 1},
		{"or", "false || echo anyway", "anyway", 0, 0},
		{"next after a failure", "false; sleep 2", "", 2 * time.Second, 0},
		{"lines", "echo a\n# a comment\necho b # another\n\necho c", "a|b|c", 0, 0},
		{"loop", "i=0; while [ $i -lt 3 ]; do echo $i; i=$((i+1)); sleep 1; done", "0|1|2", 3 * time.Second, 0},
		{"until", "until [ -f /tmp/ready ]; do sleep 2; touch /tmp/ready; done; echo ready", "ready", 2 * time.Second, 0},
		{"for", "for x in a 'b c'; do echo \"<$x>\"; done", "<a>|<b c>", 0, 0},
		{"break", "while true; do sleep 1; break; done; echo out", "out", time.Second, 0},
		{"if", "if [ $COLOR = red ]; then echo warm; elif test -n \"$COLOR\"; then echo other; else echo none; fi", "other", 0, 0},
		{"not", "if ! [ -d /data ]; then exit 4; fi", "", 0, 4},
		{"quotes", `echo "$COLOR" '$COLOR' \$COLOR "a  b" a  b`, "blue $COLOR $COLOR a  b a b", 0, 0},
		{"default", "echo ${SIZE:-small} ${COLOR:-none}", "small blue", 0, 0},
		{"substitution", "echo on $(hostname), $(echo a; echo b)", "on p, a b", 0, 0},
		{"arithmetic", "echo $((2+3)) $((10 / 3)) $((10 % 3))", "5 3 1", 0, 0},
		{"arithmetic binds", "a=7; echo $((1+2*3)) $(((1+2)*3)) $((${a} % 4)) $(($a-1-1)) $((-a + +2)) $((2<3 && a!=7 || !0))", "7 9 3 5 -5 1", 0, 0},
		{"arithmetic assigns", "i=1; echo $((i++)) $i $((++i)) $((i+=4)) $((j=i*2)) $j $((i--)) $i", "1 2 3 7 14 14 7 6", 0, 0},
		{"arithmetic fails", "echo $((1/0)) $((1+)) $((2 3)) $((${a[${b}]}))",
			"sh: divide by zero|sh: arithmetic syntax error|sh: arithmetic syntax error|sh: arithmetic syntax error|0 0 0 0", 0, 0},
		{"files", "mkdir -p /data; echo one > /data/f; echo two >> /data/f; cat /data/f; ls /data; rm /data/f; cat /data/f",
			"one|two|f|cat: can't open '/data/f': No such file or directory", 0, 1},
		{"double brackets", "if [[ -r /data/foo ]]; then echo there; fi; touch /data/foo; if [[ -r /data/foo ]]; then echo there; fi", "there", 0, 0},
		{"expr", "expr 7 % 2; echo $(expr 6 / 2); expr 3 - 3 || echo none; expr a + 1; expr 1 / 0", "1|3|0|none|expr: non-numeric argument|expr: division by zero", 0, 2},
		{"chance", "test $RANDOM -lt 32768 && test $RANDOM -ge 0 && [ $RANDOM$RANDOM$RANDOM != $RANDOM$RANDOM$RANDOM ]", "", 0, 0},
		{"lines that do not end", "printf a > /f; echo -n b >> /f; echo c >> /f; cat /f; x=$(printf a; printf b); echo $x; printf a | wc -c; echo -n one; echo two",
			"abc|ab|1|one|two", 0, 0},
		{"moved", "mkdir -p /data; echo one > /a; mv -v /a /data/; cat /a; cat /data/a; mv /data/a /b; ls /data",
			"'/a' -> '/data/a'|cat: can't open '/a': No such file or directory|one", 0, 0},
		{"counted", "echo hello >> /f; echo again >> /f; wc -l /f; wc -w /f; wc -c /f; wc -l /nowhere", "2 /f|2 /f|12 /f|wc: /nowhere: No such file or directory", 0, 1},
		{"not in this image", "agnhost mounttest --file_mode=/a", "sh: agnhost: not found", 0, 127},
		{"to nowhere", "echo x > /dev/null; cat /nowhere 2> /dev/null; echo $?", "1", 0, 0},
		{"pipe", "printf 'a\\nb\\n' | grep b", "b", 0, 0},
		{"stderr to stdout", "ls /nowhere 2>&1 | wc -l", "1", 0, 0},
		{"unknown command", "frobnicate; echo $?", "sh: frobnicate: not found|127", 0, 0},
		{"unknown command last", "frobnicate", "sh: frobnicate: not found", 0, 127},
		{"syntax", "if true; echo", "sh: syntax error: unexpected end of file", 0, 2},
		{"quote", "echo 'x", "sh: syntax error: unterminated quoted string", 0, 2},
		{"errexit", "set -e; true; false; echo no", "", 0, 1},
		{"errexit spares conditions", "set -e; false || true; if false; then :; fi; echo yes", "yes", 0, 0},
		{"group", "(echo a; exit 0) ", "a", 0, 0},
		{"subshell", "sh -c 'exit 7'; echo $?", "7", 0, 0},
		{"exit code wraps", "exit 300", "", 0, 44},
		{"nobody answers", "wget -qO- http://web", "wget: bad address 'web'", 0, 1},
		{"itself refuses", "curl -s http://localhost:80 ; echo $?", "7", 0, 0},
		{"a reader that has enough", "yes | head -n 2; seq 1000000000 | head -n 1; echo $?", "y|y|1|0", turns, 0},
		{"a shell that writes to one", "sh -c 'while true; do seq 30000; done' | head -n 1; echo on", "1|on", 0, 0},
		{"an assignment is not split", "x=$(echo a; echo b); echo \"$x\"; y='c  d' z=$y; echo \"$z\"", "a|b|c  d", 0, 0},
		{"here documents", "x=1\ncat <<EOF | grep b\na\nb $x \"$x\" $(echo c) \\$x\nEOF\ncat <<'EOF'\n$x\nEOF\ncat <<-E; echo end\n\t\tin\n\tE\ncat <<< \"$x 2\"",
			"b 1 \"1\" c $x|$x|in|end|1 2", 0, 0},
		{"a here document without an end", "cat <<EOF\na\n", "a", 0, 0},
		{"a here document without a word", "cat <<\n", "sh: syntax error: unexpected newline", 0, 2},
		{"arrays of bash", `bash -c 'items=(foo "b r"
 baz); i=1; echo ${items[$i]} ${items[i+1]} ${#items[@]}; items[1]=x; echo ${items[@]}; env | grep items'; items=(a)`,
			"sh: syntax error: unexpected (", 0, 2},
		{"arrays of bash alone", `bash -c 'items=(foo "b r" baz)
i=1; echo ${items[$i]} ${items[i+1]} ${#items[@]}; items[1]=x; echo ${items[@]}; env | grep items'`, "b r baz 3|foo x baz", 0, 1},
		{"grep", "printf 'ab\nba\nc|d\n' > /f; grep ^a /f; grep a$ /f; grep -E '^c|^b' /f; grep -v b /f; grep 'c|d' /f; grep -c x /f",
			"ab|ba|ba|c|d|c|d|c|d", 0, 1},
		{"tail", "seq 12 > /f; tail -n 2 /f; tail -n +11 /f; tail -n+12 /f; tail -2 /f; tail -n +99 /f; tail -f /no; seq 3 | tail -n +3",
			"11|12|11|12|12|11|12|tail: can't open '/no': No such file or directory|3", 0, 0},
		{"tail follows", "seq 12 > /f; timeout 3 sh -c 'tail -n 1 -f /f' | head -n 3; timeout 2 tail -n+12 -F /f; echo 13 >> /f; timeout 2 tail -n+13 -F /f",
			"12|12|13", 7 * time.Second, 143},
		{"echo and printenv", `echo -en 'a\n'; A=1; B=2; printenv A NO B; echo $?`, "a|1|2|1", 0, 0},
		{"rev", "echo foo | rev; echo bar > /f; rev /f /nosuch; rev /nosuch", "oof|rev: /nosuch: No such file or directory|rev: /nosuch: No such file or directory", 0, 1},
		{"how a substitution ends", "x=$(false); echo $?; y=1; echo $?; z=$(exit 3; echo no); echo $? \"<$z>\"", "1|0|3 <>", 0, 0},
		{"errexit and a substitution", "set -e; x=$(false); echo no", "", 0, 1},
		{"a pipe's failure", "false | true; echo $?; set -o pipefail; false | true; echo $?; set +o pipefail; false | true && echo on", "0|1|on", 0, 0},
		{"a script of its own", "printf 'echo $0 $1 $#\nexit 4\n' > /s; /s a b; echo $?; sh /s c; echo $?; sh /no; echo $?",
			"sh: /s: Permission denied|126|/s c 1|4|sh: can't open '/no': No such file or directory|2", 0, 0},
		{"a pipe over lines", "echo a |\n  cat |\n\n  wc -c", "2", 0, 0},
		{"source", "echo 'A=7' > /lib; . /lib; echo $A; source /no; echo never", "7|sh: source: can't open '/no': No such file or directory", 0, 2},
		{"timeout", "timeout 3 sleep 9; echo $?; timeout 9 sleep 1; echo $?; timeout 2 sh -c 'while true; do sleep 1; done' || echo late", "143|0|late", 6 * time.Second, 0},
		{"timeouts in each other", "timeout 2 timeout 9 sleep 20; echo $?", "143", 2 * time.Second, 0},
		{"jq and kubectl are not everywhere", "jq .; kubectl get pods", "sh: jq: not found|sh: kubectl: not found", 0, 127},
		{"environment", "export A=1; env | grep A=", "A=1", 0, 0},
		{"empty directories", "mkdir -p /a/b; test -d /a && test -d /a/b && ls /a; mkdir /a; echo x > /a/b/c; test -d /a/b/c || echo file", "b|file", 0, 0},
		{"an archive", "mkdir -p /a/b /a/e; echo one > /a/b/f; printf two > /a/g; mkdir /t; tar cf - /a | tar -xmf - -C /t; ls /t/a; cat /t/a/b/f /t/a/g; test -d /t/a/e",
			"tar: removing leading '/' from member names|b|e|g|one|two", 0, 0},
		{"an archive in a file", "cd /tmp; mkdir d; echo 1 > d/x; echo 2 > d/y; tar -cf a.tar d; tar tf a.tar; mkdir o; tar xvf a.tar -Co d/y; cat o/d/y; ls o/d", "d/|d/x|d/y|2|y", 0, 0},
		{"bytes", "printf 'abcdefghijklmnopq\n' > /f; hexdump -C /f; echo | hexdump -C",
			"00000000  61 62 63 64 65 66 67 68  69 6a 6b 6c 6d 6e 6f 70  |abcdefghijklmnop||" +
				"00000010  71 0a                                             |q.||00000012|00000000  0a                                                |.||00000001", 0, 0},
		{"an archive of nothing", "tar cf - /no > /x; echo $?; tar tf /x; tar -x -C /no; tar cf /x",
			"tar: /no: No such file or directory|tar: error exit delayed from previous errors|1|tar: can't change directory to '/no': No such file or directory|tar: empty archive", 0, 1},
		{"no archive", "echo x | tar x; seq 1000 | tar x; tar f /x; tar xf /no",
			"tar: short read|tar: invalid tar magic|Usage: tar c|x|t [-mo] [-f TARFILE] [-C DIR] [FILE]...|tar: can't open '/no': No such file or directory", 0, 1},
		{"an archive that leads out", "mkdir -p /d/e; cd /d/e; echo x > ../f; tar cf - ../f | tar tf -", "tar: removing leading '../' from member names|f", 0, 0},
		{"a long name in an archive", "n=" + strings.Repeat("n", 90) + "; mkdir /$n /o; echo x > /$n/$n; tar cf - $n | tar xf - -C /o; cat /o/$n/$n", "x", 0, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			k := world(t)
			r := cri.Start(k, cri.Options{Node: "node-1", PodCIDR: "10.244.1.0/24"})
			var id string
			k.Start("kubelet/node-1").Go("test", func(p *sim.Proc) {
				sandbox, err := r.RunPodSandbox(p, cri.PodSandboxConfig{Name: "p", Namespace: "default", UID: "1"})
				if err == nil {
					id, err = r.CreateContainer(p, sandbox, cri.ContainerConfig{Name: "app", Image: "busybox",
						Env:     []cri.Variable{{Name: "COLOR", Value: "blue"}},
						Program: cri.NewProgram("busybox", []string{"sh", "-c", c.script}, nil)})
				}
				if err == nil {
					err = r.StartContainer(p, id)
				}
				if err != nil {
					t.Error(err)
				}
			})
			k.RunUntil(time.Minute)
			s, err := r.ContainerStatus(id)
			if err != nil {
				t.Fatal(err)
			}
			lines, _ := r.Logs(id)
			var texts []string
			for _, l := range lines {
				texts = append(texts, l.Text)
			}
			if log := strings.Join(texts, "|"); log != c.log {
				t.Errorf("log %q, want %q", log, c.log)
			}
			if s.State != cri.ContainerExited || s.ExitCode != c.code {
				t.Errorf("state %v, code %d, want %d", s.State, s.ExitCode, c.code)
			}
			if took := s.FinishedAt.Sub(s.StartedAt); took != c.takes && (c.takes != turns || took == 0 || took > time.Second) {
				t.Errorf("took %v, want %v", took, c.takes)
			}
		})
	}
}

// TestSignals: a shell hears SIGTERM only through a trap, after the command that
// runs; a program that it execs hears it itself.
func TestSignals(t *testing.T) {
	for _, c := range []struct {
		script   string
		code     int32
		min, max time.Duration
	}{
		{"while true; do sleep 1; done", 137, 10 * time.Second, 10 * time.Second},
		{"trap 'exit 5' TERM; while true; do sleep 1; done", 5, 0, time.Second},
		{"trap 'echo bye; exit 0' SIGTERM; sleep 4; sleep 60", 0, 0, 4 * time.Second},
		{"exec nginx", 0, 20 * time.Millisecond, 400 * time.Millisecond},
		{"echo starting; nginx", 137, 10 * time.Second, 10 * time.Second},
		{"nginx", 0, 20 * time.Millisecond, 400 * time.Millisecond},
		{"tail -f /dev/null", 137, 10 * time.Second, 10 * time.Second},
	} {
		k := world(t)
		r := cri.Start(k, cri.Options{Node: "node-1", PodCIDR: "10.244.1.0/24"})
		k.Start("kubelet/node-1").Go("test", func(p *sim.Proc) {
			_, id := start(t, p, r, "p", cri.NewProgram("busybox", []string{"sh", "-c", c.script}, nil))
			p.Sleep(1500 * time.Millisecond)
			began := p.Now()
			if err := r.StopContainer(p, id, 10*time.Second); err != nil {
				t.Error(err)
			}
			s, _ := r.ContainerStatus(id)
			if took := p.Now() - began; s.ExitCode != c.code || took < c.min || took > c.max {
				t.Errorf("%q: code %d after %v, want %d after %v to %v", c.script, s.ExitCode, took, c.code, c.min, c.max)
			}
		})
		k.RunUntil(5 * time.Minute)
	}
}

// TestRunaways: a script that grows without end is killed for its memory, one that only computes uses a CPU, and the
// simulation goes on meanwhile: none of its turns takes long.
func TestRunaways(t *testing.T) {
	const forever = -1
	for _, c := range []struct {
		name, script string
		limit        int64
		code         int32 // forever: it still runs after a minute
		reason       string
		within       time.Duration
	}{
		{"a variable that doubles, with a limit", "x=a; while true; do x=$x$x; done", 64 << 20, 137, "OOMKilled", time.Minute},
		{"a variable that doubles, without one", "x=a; while true; do x=$x$x; done", 0, 137, "OOMKilled", time.Minute},
		{"without a loop", "x=" + strings.Repeat("a", 1000) + strings.Repeat("; x=$x$x$x$x", 40), 64 << 20, 137, "OOMKilled", time.Second},
		{"in one word", "x=$(seq 100000); echo " + strings.Repeat("$x", 1000), 64 << 20, 137, "OOMKilled", time.Second},
		{"a substitution", "x=$(seq 1000000000)", 64 << 20, 137, "OOMKilled", 10 * time.Second},
		{"a pipe", "seq 1000000000 | wc -l", 64 << 20, 137, "OOMKilled", 10 * time.Second},
		{"a script that runs itself", "export x='sh -c \"$x\"'; sh -c \"$x\"", 0, 2, "Error", time.Second},
		{"one that runs itself twice", "export x='sh -c \"$x\"; sh -c \"$x\"'; sh -c \"$x\"", 0, 2, "Error", time.Second},
		{"a substitution that contains itself", "export x='echo $(sh -c \"$x\")'; sh -c \"$x\"; echo", 0, 2, "Error", time.Second},
		{"a file that doubles", "echo a > /f; for i in $(seq 40); do cat /f /f > /g; cat /g > /f; done", 0, 0, "Completed", 10 * time.Second},
		{"an archive of itself", "for i in $(seq 40); do tar cf /f /; done", 0, 0, "Completed", 10 * time.Second},
		{"a deep directory in an archive", "mkdir -p " + strings.Repeat("/a", 100_000) + "; tar cf - / > /dev/null", 0, 1, "Error", 10 * time.Second},
		{"many files in an archive", "for i in $(seq 4000); do echo > /d$i/f; done; tar cf /a /", 0, 1, "Error", 30 * time.Second},
		{"many files", "for i in $(seq 100000); do echo > /f$i || exit 3; done", 0, 3, "Error", 10 * time.Second},
		{"a loop that does nothing", "while true; do :; done", 0, forever, "", 0},
		{"a count without end", "seq 1000000000000", 0, forever, "", 0},
		{"long lines", "x=$(seq 100000); for i in $(seq 100000); do echo \"$x\"; done", 0, forever, "", 0},
		{"yes", "yes | cat", 0, forever, "", 0},
		{"deep statements", strings.Repeat("( ", 100_000), 0, 2, "Error", time.Second},
		{"elif without end", "if a; then b" + strings.Repeat("; elif a; then b", 100_000), 0, 2, "Error", time.Second},
		{"deep substitutions", strings.Repeat("$(", 5_000) + strings.Repeat(")", 5_000), 0, 2, "Error", time.Second},
		{"a long word", "echo " + strings.Repeat("a", 1<<20) + " > /dev/null", 0, 0, "Completed", time.Second},
	} {
		for _, executed := range []bool{false, true} {
			name := c.name
			if executed {
				name += ", executed"
			}
			t.Run(name, func(t *testing.T) {
				k := world(t)
				r := cri.Start(k, cri.Options{Node: "node-1", PodCIDR: "10.244.1.0/24"})
				var id string
				var result *cri.ExecResult
				k.Start("kubelet/node-1").Go("test", func(p *sim.Proc) {
					program := []string{"sh", "-c", c.script}
					if executed {
						program = []string{"sleep", "infinity"}
					}
					sandbox, err := r.RunPodSandbox(p, cri.PodSandboxConfig{Name: "p", Namespace: "default", UID: "1"})
					if err == nil {
						id, err = r.CreateContainer(p, sandbox, cri.ContainerConfig{Name: "app", Image: "busybox",
							Resources: cri.Resources{MemoryLimit: c.limit}, Program: cri.NewProgram("busybox", program, nil)})
					}
					if err == nil {
						err = r.StartContainer(p, id)
					}
					if err == nil && executed {
						got, failed := r.ExecSync(p, id, []string{"sh", "-c", c.script}, 0)
						result, err = &got, failed
					}
					if err != nil {
						t.Error(err)
					}
				})
				longest := time.Duration(0)
				for until := map[bool]time.Duration{true: time.Second, false: time.Minute}[c.code == forever]; k.Elapsed() < until; {
					at, ok := k.Next()
					if !ok || at > until {
						break
					}
					began := time.Now()
					k.RunUntil(at)
					longest = max(longest, time.Since(began))
				}
				if longest > 5*time.Second {
					t.Errorf("a turn took %v", longest)
				}
				s, err := r.ContainerStatus(id)
				if err != nil {
					t.Fatal(err)
				}
				if result != nil {
					result.Stdout, result.Stderr = "", result.Stderr[:min(len(result.Stderr), 200)]
				}
				switch ended := s.State == cri.ContainerExited; {
				case executed && c.reason == "OOMKilled":
					if result == nil || result.ExitCode != 137 || s.Reason != "OOMKilled" {
						t.Errorf("result %+v, the container is %v for %q", result, s.State, s.Reason)
					}
				case executed && c.code == forever:
					if result != nil && result.ExitCode != 130 || ended {
						t.Errorf("it ended with %v; ended container: %v", result.ExitCode, ended)
					}
				case executed:
					if result == nil || result.ExitCode != c.code || ended {
						t.Errorf("result %+v; ended container: %v", result, ended)
					}
				case c.code == forever:
					if ended {
						t.Errorf("it ended with %d, %s", s.ExitCode, s.Reason)
					}
				case !ended || s.ExitCode != c.code || s.Reason != c.reason || s.FinishedAt.Sub(s.StartedAt) > c.within:
					t.Errorf("state %v, code %d for %q after %v, want %d for %q", s.State, s.ExitCode, s.Reason, s.FinishedAt.Sub(s.StartedAt), c.code, c.reason)
				}
			})
		}
	}
}
