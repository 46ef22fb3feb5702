//go:build !js || cel

package cri

import (
	"strings"
	"time"

	"kubewalk/playground/api/yaml"
	"kubewalk/playground/trace"
)

func init() { tools["kubectl"] = kubectl }

// guestWithKubectl is one in whose container kubectl runs.
type guestWithKubectl interface {
	// Kubectl runs a command line of kubectl with the program's way to the API server, and calls done when it has ended.
	Kubectl(argv []string, stdin []byte, done func(stdout, stderr string, code int32))
}

// kubectlStarts is how long kubectl takes to start, at least.
const kubectlStarts = 40 * time.Millisecond

// kubectl is that of the container's guest, who has a way to the API server.
func kubectl(x *shell, argv []string) int32 {
	t := x.runtime.tasks[x.container.ID]
	var guest guestWithKubectl
	if t != nil {
		guest, _ = t.guest.(guestWithKubectl)
	}
	if guest == nil {
		return x.complain("The connection to the server localhost:8080 was refused - did you specify the right host or port?")
	}
	if !x.sleep(x.runtime.rand.Between(kubectlStarts, 2*kubectlStarts)) {
		return x.status
	}
	stdin, failure := x.manifest(argv[1:])
	if failure != "" {
		return x.complain("error: " + failure)
	}
	done, given := false, false
	var stdout, stderr string
	var code int32
	var cause trace.ID
	guest.Kubectl(argv[1:], stdin, func(out, err string, status int32) {
		if given {
			return
		}
		done, stdout, stderr, code, cause = true, out, err, status, x.runtime.kernel.Cause()
		x.proc.Wake()
	})
	for !done {
		if x.killed() {
			given = true
			return x.status
		}
		x.proc.ParkFor(min(x.patience(), x.oom(), x.proc.Now()+again) - x.proc.Now())
	}
	x.proc.Due(cause)
	if stderr != "" {
		x.out("stderr", stderr)
	}
	if stdout != "" {
		x.out("stdout", plain(stdout))
	}
	return code
}

// manifest is what -f names in a command line of kubectl's, as JSON: a file of the container, or "-" for what is piped in.
func (x *shell) manifest(argv []string) (text []byte, failure string) {
	for i, a := range argv {
		name, ok := strings.CutPrefix(a, "--filename=")
		if !ok && (a == "-f" || a == "--filename") && i+1 < len(argv) {
			name, ok = argv[i+1], true
		}
		if !ok {
			continue
		}
		source := x.input()
		if name != "-" {
			if source, ok = x.read(x.container, clean(x.dir, name)); !ok {
				return nil, "the path \"" + name + "\" does not exist"
			}
		}
		if strings.TrimSpace(source) == "" {
			return nil, "no objects passed to apply"
		}
		text, err := yaml.ToJSON(source)
		if err != nil {
			return nil, "error parsing " + name + ": error converting YAML to JSON: " + err.Error()
		}
		return text, ""
	}
	return nil, ""
}
