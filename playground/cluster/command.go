package cluster

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"kubewalk/playground/kubectl"
	"kubewalk/playground/sim"
	"kubewalk/playground/trace"
)

var _ = register(Command, action{
	validate: func(in Input) error {
		if err := kubectl.Check(in.Args); err != nil {
			return fmt.Errorf("input %q: %w", in.Kind, err)
		}
		return nil
	},
	words: func(in Input) string { return string(in.Kind) + " " + kubectl.Join(in.Args) },
	attrs: func(in Input) []trace.Attr {
		return given("command", kubectl.Join(in.Args), "manifest", string(in.Manifest))
	},
	do: (*Cluster).command,
})

// CommandError says what is wrong with a command line, and where in it.
type CommandError struct {
	At      int // in bytes
	Message string
	Cure    []string // the names that would have been right, when it is a name that is wrong
}

func (e *CommandError) Error() string { return e.Message }

// ParseCommand splits a command line of kubectl's into words and checks it. The
// word kubectl may stand in front. The error is a *CommandError.
func ParseCommand(line string) ([]string, error) {
	words, err := kubectl.Split(line)
	if err != nil {
		var l *kubectl.LineError
		errors.As(err, &l)
		return nil, &CommandError{At: l.At, Message: l.Message}
	}
	if len(words) > 0 && words[0].Text == "kubectl" {
		if words = words[1:]; len(words) == 0 {
			return []string{"help"}, nil // the same
		}
	}
	if len(words) == 0 {
		return nil, &CommandError{Message: "the command line is empty: write what stands behind kubectl, such as get pods"}
	}
	args := make([]string, len(words))
	for i, w := range words {
		args[i] = w.Text
	}
	if err := kubectl.Check(args); err != nil {
		var a *kubectl.ArgumentError
		errors.As(err, &a)
		return nil, &CommandError{At: words[a.Arg].At, Message: a.Message, Cure: a.Cure}
	}
	return args, nil
}

// CommandLine is a line that ParseCommand splits into these words.
func CommandLine(args []string) string { return kubectl.Join(args) }

// ManifestsOf are what -f names in a command line, "-" for standard input.
func ManifestsOf(args []string) []string { return kubectl.Files(args) }

// TextsOf are the files and folders that a command line reads as they are.
func TextsOf(args []string) []string { return kubectl.Texts(args) }

// InFolder says whether a file is below a folder.
func InFolder(file, folder string) bool {
	_, is := kubectl.InFolder(file, folder)
	return is
}

// FolderOf is what a command line builds, with -k or kustomize; "" for none.
func FolderOf(args []string) string { return kubectl.Folder(args) }

// FolderFiles are those of all files that the build of a folder reads. It is an error if the folder is not there.
func FolderFiles(files map[string]json.RawMessage, folder string) (map[string]json.RawMessage, error) {
	return kubectl.NeededFiles(files, folder)
}

// command runs kubectl in a process of its own.
func (c *Cluster) command(i int) {
	in := c.results[i].Input
	name := string(in.Kind)
	if in.Kind == Command {
		name = kubectl.Name(in.Args)
	}
	c.kubectl.Go("kubectl "+name, func(p *sim.Proc) {
		k := kubectl.New(c.observed(c.server)).WithDiscovery(&c.discovery)
		var r kubectl.Result
		switch in.Kind {
		case Apply:
			r = k.Apply(p, in.Manifest)
		case Create:
			r = k.Create(p, in.Manifest)
		case Scale:
			c.awaitScale(p, i)
			r = k.Scale(p, in.Resource, in.Namespace, in.Name, *in.Replicas, in.Current)
		case Patch:
			r = k.Patch(p, in.Resource, in.Namespace, in.Name, in.Manifest)
		case Delete:
			r = k.Delete(p, kubectl.Deletion{
				Resource: in.Resource, Namespace: in.Namespace, Name: in.Name,
				Selector: in.Selector, FieldSelector: in.FieldSelector, Cascade: in.Cascade, Grace: in.Grace,
			})
		case Command:
			if file := kubectl.Kubeconfig(in.Args); file != "" {
				r = c.elsewhere(p, file, in)
				break
			}
			r = k.WithTerminal(&c.terminal, func(r kubectl.Result) {
				o := &c.results[i]
				o.Done, o.Output, o.Warning = true, r.Stdout, r.Stderr
			}).Run(p, in.Args, in.Manifest)
		}
		o := &c.results[i]
		o.Done, o.Output = true, r.Stdout
		if !r.Failed {
			o.Warning = r.Stderr
			return
		}
		o.Warning = ""
		if o.Error = r.Stderr; o.Error == "" {
			o.Error = "exit status 1"
		}
		p.Logger().Error(errors.New(o.Error), "kubectl "+name)
	})
}

// awaitScale waits, a second at most, until who scaled the same object before has an answer: a slider that is moved twice at
// one moment sends two requests, and the second must not overtake the first.
func (c *Cluster) awaitScale(p *sim.Proc, i int) {
	in := c.results[i].Input
	before := func() bool {
		return slices.ContainsFunc(c.results[:i], func(o Outcome) bool {
			same := o.Input.Kind == Scale && o.Input.Resource == in.Resource && o.Input.Namespace == in.Namespace && o.Input.Name == in.Name
			return same && !o.Done && o.Input.At <= in.At
		})
	}
	for end := p.Now() + time.Second; before() && p.Now() < end; {
		p.Sleep(time.Millisecond)
	}
}
