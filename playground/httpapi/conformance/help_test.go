package conformance

import (
	"bytes"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"k8s.io/cli-runtime/pkg/genericiooptions"
	"k8s.io/kubectl/pkg/cmd"

	"kubewalk/playground/kubectl"
	"kubewalk/playground/sim"
	"kubewalk/playground/trace"
)

// What --help prints of every command of the page's kubectl is what the real one prints, but for the texts, the examples,
// and the options and commands that the page's lacks.
func TestHelpOfThePagesKubectl(t *testing.T) {
	topics := []string{""}
	for name := range kubectl.Flags() {
		words := strings.Fields(name)
		for n := range words {
			if topic := strings.Join(words[:n+1], " "); !slices.Contains(topics, topic) {
				topics = append(topics, topic)
			}
		}
	}
	slices.Sort(topics)
	compared := 0
	for _, topic := range topics {
		ours := skeleton(pagesHelp(topic))
		theirs := skeleton(realHelp(t, topic))
		compared += len(ours)
		at := 0
		for _, line := range ours {
			for at < len(theirs) && theirs[at] != line {
				if !leftOut(theirs[at]) {
					t.Errorf("kubectl %s --help lacks %q in front of %q", topic, theirs[at], line)
				}
				at++
			}
			if at == len(theirs) {
				t.Errorf("kubectl %s --help has %q, the real one does not:\n%s", topic, line, strings.Join(theirs, "\n"))
				break
			}
			at++
		}
		for ; at < len(theirs); at++ {
			if !leftOut(theirs[at]) {
				t.Errorf("kubectl %s --help lacks %q", topic, theirs[at])
			}
		}
	}
	if compared < 600 {
		t.Errorf("only %d lines were compared", compared)
	}
}

func pagesHelp(topic string) string {
	args := append(strings.Fields(topic), "--help")
	if topic == "options" {
		args = args[:1]
	}
	k := sim.New(1, time.Unix(0, 0), trace.NewRecorder(trace.Off))
	defer k.Close()
	var r kubectl.Result
	k.Start("kubectl").Go("kubectl", func(p *sim.Proc) { r = kubectl.New(nil).Run(p, args, nil) })
	for k.Step() {
	}
	return r.Stdout
}

func realHelp(t *testing.T, topic string) string {
	var out bytes.Buffer
	root := cmd.NewKubectlCommand(cmd.KubectlOptions{IOStreams: genericiooptions.IOStreams{In: &out, Out: &out, ErrOut: &out}, Arguments: []string{"kubectl"}})
	root.SetOut(&out)
	root.SetErr(&out)
	root.InitDefaultHelpCmd()
	root.PersistentFlags().CountP("v", "v", "as component-base/cli has it")
	c, _, err := root.Find(strings.Fields(topic))
	if err != nil {
		t.Fatal(err)
	}
	c.InitDefaultHelpFlag()
	if topic == "options" {
		err = c.Usage()
	} else {
		err = c.Help()
	}
	if err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// listed is a command in a list, with what it does.
var listed = regexp.MustCompile(`^  ([a-z][a-z0-9-]*) {3,}\S`)

// skeleton are the lines of a help text that are no prose.
func skeleton(text string) []string {
	var out []string
	examples := false
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		switch {
		case i == 0, strings.HasPrefix(line, "\t"), line == "":
			continue
		case strings.HasPrefix(line, "Examples:"):
			examples = true
			continue
		case !strings.HasPrefix(line, " "):
			examples = false
			if !strings.HasSuffix(line, ":") && !strings.HasPrefix(line, "Use \"") {
				continue // of the long text
			}
		case examples:
			continue
		}
		if m := listed.FindStringSubmatch(line); m != nil {
			line = m[1]
		}
		out = append(out, line)
	}
	return out
}

// leftOut are lines that the page's kubectl may lack: options, commands, and what belongs to the long text.
func leftOut(line string) bool {
	switch line {
	case "Subcommands provided by plugins:", `Use "kubectl api-resources" for a complete list of supported resources.`,
		"Available Commands:", `Use "kubectl apply <command> --help" for more information about a given command.`: // of apply: view-last-applied and its like
		return true
	}
	return strings.HasPrefix(line, "    ") || !strings.Contains(line, " ") || strings.HasPrefix(line, " ") && !strings.HasPrefix(line, "  kubectl ")
}
