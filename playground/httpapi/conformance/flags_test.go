package conformance

import (
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"k8s.io/kubectl/pkg/cmd"

	"kubewalk/playground/kubectl"
)

// Every flag of the page's kubectl is one of the real command, with its shorthand, its type and its default.
func TestFlagsOfThePagesKubectl(t *testing.T) {
	root := cmd.NewDefaultKubectlCommand()
	compared := 0
	for name, flags := range kubectl.Flags() {
		command, rest, err := root.Find(strings.Fields(name))
		if err != nil || len(rest) > 0 || command == root {
			t.Errorf("kubectl has no command %q: %v", name, err)
			continue
		}
		for _, f := range flags {
			compared++
			real := lookup(command, f.Name)
			if real == nil {
				t.Errorf("kubectl %s has no flag --%s", name, f.Name)
				continue
			}
			if real.Shorthand != f.Shorthand {
				t.Errorf("kubectl %s --%s: shorthand %q, real %q", name, f.Name, f.Shorthand, real.Shorthand)
			}
			if kind := kindOf(real.Value.Type()); kind != f.Kind {
				t.Errorf("kubectl %s --%s: a %s, real %s", name, f.Name, f.Kind, real.Value.Type())
			}
			if real.DefValue != f.Default && !f.Absent {
				t.Errorf("kubectl %s --%s: by default %q, real %q", name, f.Name, f.Default, real.DefValue)
			}
		}
	}
	if compared < 300 {
		t.Errorf("only %d flags were compared", compared)
	}
}

func lookup(command *cobra.Command, name string) *pflag.Flag {
	if f := command.Flags().Lookup(name); f != nil {
		return f
	}
	return command.InheritedFlags().Lookup(name)
}

func kindOf(typ string) string {
	switch typ {
	case "bool", "duration":
		return typ
	case "tristate":
		return "bool"
	case "int", "int32", "int64":
		return "number"
	case "strings", "stringSlice", "stringArray", "stringToString", "mapStringString":
		return "list"
	}
	return "text"
}

// Every command of the real kubectl is there, or refused with a reason, and so is every flag of it.
func TestCommandsOfThePagesKubectl(t *testing.T) {
	ours := kubectl.Flags()
	flags := 0
	var walk func(c *cobra.Command, path []string)
	walk = func(c *cobra.Command, path []string) {
		name := strings.Join(path, " ")
		if err := kubectl.Check(append(path, "--help")); err != nil {
			if !strings.Contains(err.Error(), " is absent here: ") {
				t.Errorf("kubectl %s: %v", name, err)
			}
			return
		}
		c.LocalNonPersistentFlags().VisitAll(func(f *pflag.Flag) {
			if _, is := ours[name]; !is || f.Hidden || f.Deprecated != "" || f.Name == "help" {
				return
			}
			if f.Name == "namespace" { // every command of the page's takes it
				return
			}
			flags++
			if !slices.ContainsFunc(ours[name], func(o kubectl.Flag) bool { return o.Name == f.Name }) {
				t.Errorf("kubectl %s knows nothing of --%s", name, f.Name)
			}
		})
		for _, sub := range c.Commands() {
			if !sub.Hidden && sub.Name() != "help" {
				walk(sub, append(slices.Clip(path), sub.Name()))
			}
		}
	}
	for _, c := range cmd.NewDefaultKubectlCommand().Commands() {
		if !c.Hidden && c.Name() != "alpha" {
			walk(c, []string{c.Name()})
		}
	}
	if flags < 400 {
		t.Errorf("only %d flags were looked for", flags)
	}
}
