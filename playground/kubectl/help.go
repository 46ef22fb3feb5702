//go:build !js || cel

package kubectl

import (
	"fmt"
	"slices"
	"strings"

	"kubewalk/playground/api/sorting"
)

// help is what --help prints of a command, or of a word that several begin with ("rollout"): what it is for, its options and
// its usage, laid out as the real one does. Options are those of the command's flags that are read here; what they and the
// commands do is said in our own words (helptexts.go).
// Upstream: kubectl pkg/util/templates/templates.go, MainUsageTemplate, and help_flags_printer.go.
func help(name string) string {
	if name == "" {
		return rootHelp()
	}
	var b strings.Builder
	about, path := abouts[name], "kubectl "+name
	b.WriteString(about.text + ".\n\n")
	if other := otherNames(name); len(other) > 0 {
		b.WriteString("Aliases:\n" + strings.Join(append([]string{lastWord(name)}, other...), ", ") + "\n\n")
	}
	below := names(name)
	if len(below) > 0 {
		b.WriteString("Available Commands:\n" + listed(name, below) + "\n")
	}
	if c := lookup(name); c != nil {
		if flags := flagHelp(name, parseSpec(c.flags)); flags != "" {
			b.WriteString("Options:\n" + flags + "\n")
		}
	}
	usage := path
	if about.usage != "" {
		usage += " " + about.usage
	}
	if !strings.Contains(usage, "[options]") {
		usage += " [options]"
	}
	b.WriteString("Usage:\n  " + usage + "\n\n")
	if len(below) > 0 {
		fmt.Fprintf(&b, "Use \"%s <command> --help\" for more information about a given command.\n", path)
	}
	return b.String() + helpOptions
}

const helpOptions = "Use \"kubectl options\" for a list of global command-line options (applies to all commands).\n"

func rootHelp() string {
	var b strings.Builder
	b.WriteString("kubectl controls the Kubernetes cluster manager.\n\n Find more information at: https://kubernetes.io/docs/reference/kubectl/\n\n")
	rest := names("")
	for _, g := range groups {
		for _, name := range g.names {
			rest = slices.DeleteFunc(rest, func(n string) bool { return n == name })
		}
		b.WriteString(g.title + ":\n" + listed("", g.names) + "\n")
	}
	rest = slices.DeleteFunc(rest, func(n string) bool { return n == "options" || n == "help" })
	b.WriteString("Subcommands provided by plugins:\n\nOther Commands:\n" + listed("", rest) + "\n")
	b.WriteString("Usage:\n  kubectl [flags] [options]\n\nUse \"kubectl <command> --help\" for more information about a given command.\n")
	return b.String() + helpOptions
}

// listed are commands with what they do.
func listed(parent string, of []string) string {
	width := 11 // at least. Upstream: github.com/spf13/cobra, minNamePadding
	for _, n := range names(parent) {
		width = max(width, len(n))
	}
	var b strings.Builder
	for _, n := range of {
		fmt.Fprintf(&b, "  %-*s   %s\n", width, n, abouts[strings.TrimSpace(parent+" "+n)].text)
	}
	return b.String()
}

// otherNames are a command's aliases: "cm".
func otherNames(name string) []string {
	var out []string
	for _, from := range sortedKeys(aliases) {
		if aliases[from] == name {
			out = append(out, lastWord(from))
		}
	}
	slices.SortStableFunc(out, func(a, b string) int { return len(b) - len(a) }) // "nodes, no"
	return out
}

func lastWord(name string) string { return name[strings.LastIndexByte(name, ' ')+1:] }

// flagHelp are a command's flags by name, each with its default.
func flagHelp(name string, flags []flag) string {
	sorting.Func(flags, func(a, b flag) int { return strings.Compare(a.name, b.name) })
	var b strings.Builder
	for _, f := range flags {
		text, own := flagTexts[name+" "+f.name]
		if !own {
			text = flagTexts[f.name]
		}
		if f.absent || text == "" {
			continue
		}
		short, initial := "", f.initial()
		if f.short != "" {
			short = "-" + f.short + ", "
		}
		if f.kind == isText {
			initial = "'" + initial + "'"
		}
		fmt.Fprintf(&b, "    %s--%s=%s:\n\t%s\n\n", short, f.name, initial, text)
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// runGroup is a command without the word that belongs behind it: its help.
// Upstream: kubectl pkg/cmd/util/helpers.go, DefaultSubCommandRun; certificate's is cmd/certificates/certificates.go, NewCmdCertificate.
func runGroup(s *session) error {
	text := help(s.name)
	switch s.name {
	case "certificate":
		s.printf("%s", text)
		return nil
	case "rollout":
		s.printf("%s", text)
	default:
		s.complain(text)
	}
	return errExit
}

// runHelp is kubectl help COMMAND, and COMMAND --help.
func runHelp(s *session) error {
	s.printf("%s", help(s.topic))
	return nil
}

// runOptions is kubectl options: the flags that every command takes. Upstream: kubectl pkg/cmd/options/options.go.
func runOptions(s *session) error {
	s.printf("The following options can be passed to any command:\n\n%s", flagHelp("", parseSpec(globalFlags)))
	return nil
}
