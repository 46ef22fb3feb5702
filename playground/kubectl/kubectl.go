// Package kubectl is the command line of Kubernetes: commands with arguments
// exactly as a person types them, which make the requests that the real kubectl
// 1.36 makes, in its order, and answer with its words. It exists because what a
// demo's author writes, and what a reader knows by heart, is command lines.
//
// Run takes a command line apart (flags.go, run.go), finds the objects that it
// is about (resource.go) and hands them to the command, which is in the file of
// its name. Split is the shell's part: one line into words. What -f reads is
// handed in as JSON; the host reads YAML. Output is as wide, sorted and quoted
// as the real one's: tables (the server's: see client.Request.Table), YAML,
// KYAML, JSON, names, custom columns and a subset of JSONPath.
//
// Simplified: what the API has is asked for without a request and in no time
// (discovery), and OpenAPI is not asked for: explain knows only the types of
// built-in kinds.
// There is no shell. A terminal has no width and no keys: -it and the like are
// absent. A command that goes on, such as get --watch, logs -f or port-forward,
// does so until the next one is typed (Terminal). What debug -it starts waits for commands of exec. With -v=6 and
// more, requests are shown as klog does (verbose.go). --help is made from the
// table of commands (help.go).
//
// Upstream: k8s.io/kubectl/pkg/cmd and k8s.io/cli-runtime/pkg.
package kubectl

import (
	"strings"

	"kubewalk/playground/controlplane/client"
)

// Command is a kubectl that speaks to one API server.
type Command struct {
	transport client.Transport
	discovery *Discovery
	terminal  *Terminal    // nil where nobody interrupts a command
	namespace string       // where none is named; "" is default
	shows     func(Result) // hears what a command that goes on has printed; nil where nobody wants to
}

// InNamespace is a kubectl that looks there where no namespace is named, as one in a Pod does in the Pod's.
func (c Command) InNamespace(namespace string) Command {
	c.namespace = namespace
	return c
}

// New returns a kubectl for that server.
func New(t client.Transport) Command { return Command{transport: t, discovery: new(Discovery)} }

// Kubeconfig is the file that a command line names with --kubeconfig; "" for none.
func Kubeconfig(args []string) (file string) {
	for i, arg := range args {
		if value, has := strings.CutPrefix(arg, "--kubeconfig="); has {
			file = value
		} else if arg == "--kubeconfig" && i+1 < len(args) {
			file = args[i+1]
		} else if arg == "--" {
			break
		}
	}
	return file
}

// NoKubeconfig is what becomes of a command that names a file that isn't there.
func NoKubeconfig(file string) Result {
	return Result{Stderr: "error: stat " + file + ": no such file or directory\n", Failed: true}
}

// WithoutKubeconfig is a command line for the cluster that its kubeconfig leads to.
func WithoutKubeconfig(args []string) (out []string) {
	for i := 0; i < len(args); i++ {
		switch {
		case args[i] == "--":
			return append(out, args[i:]...)
		case args[i] == "--kubeconfig":
			i++
		case !strings.HasPrefix(args[i], "--kubeconfig="):
			out = append(out, args[i])
		}
	}
	return out
}
