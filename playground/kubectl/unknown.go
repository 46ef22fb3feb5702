package kubectl

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// isGroup says whether a command is there for those below it only.
func (c *command) isGroup() bool {
	return c.flags == "" && c.name != "cluster-info" && len(names(c.name)) > 0
}

// unknownBelow is that a group was given a word that is none of its commands. Upstream: kubectl pkg/cmd/util/helpers.go, RequireNoArguments.
func unknownBelow(group string, args []string) string {
	return fmt.Sprintf("unknown command %q\nSee 'kubectl %s -h' for help and examples", strings.Join(args, " "), group)
}

// unknownCommand is that kubectl has no such command, with those whose names are like it.
// Upstream: github.com/spf13/cobra, args.go, legacyArgs; kubectl pkg/cmd/cmd.go, HandlePluginCommand.
func unknownCommand(line []string, at int) error {
	all := names("")
	if at > 0 {
		return &ArgumentError{Arg: at, Message: "Error: flags cannot be placed before plugin name: " + line[0], Cure: all}
	}
	var in []string // in the order of the real one
	for _, g := range groups {
		in = append(in, g.names...)
	}
	in = append(in, "config", "plugin", "version", "api-versions", "api-resources", "options")
	var like strings.Builder
	for _, name := range in {
		if isLike(line[at], name) {
			like.WriteString("\n\t" + name)
		}
	}
	message := fmt.Sprintf("error: unknown command %q for \"kubectl\"", line[at])
	if like.Len() > 0 {
		message += "\n\nDid you mean this?" + like.String()
	}
	return &ArgumentError{Arg: at, Message: message, Cure: all}
}

// also are words that mean a command without being like its name. Upstream: SuggestFor, in kubectl pkg/cmd.
var also = map[string]string{"stats": "top", "list": "get", "ls": "get", "inspect": "describe", "rm": "delete", "remove": "delete"}

// isLike says whether a command may have been meant: the word begins its name, or two letters are wrong, missing or too many.
// Upstream: github.com/spf13/cobra, Command.SuggestionsFor.
func isLike(word, name string) bool {
	word = strings.ToLower(word)
	if strings.HasPrefix(name, word) || also[word] == name {
		return true
	}
	row := make([]int, len(name)+1) // of the distance by Levenshtein
	for j := range row {
		row[j] = j
	}
	for i := range len(word) {
		corner := row[0]
		row[0]++
		for j := range len(name) {
			least := corner
			if word[i] != name[j] {
				least = 1 + min(corner, row[j], row[j+1])
			}
			corner, row[j+1] = row[j+1], least
		}
	}
	return row[len(name)] <= 2
}

// indexOf is where an argument stands in a line, from a word on.
func indexOf(line []string, from int, argument string) int {
	return from + slices.Index(line[from:], argument)
}

// listPlugins is kubectl plugin list, where no program is one. Upstream: kubectl pkg/cmd/plugin/plugin.go, PluginListOptions.Run.
func listPlugins(*session) error {
	return errors.New("unable to find any kubectl plugins in your PATH")
}

// groups are the headings of kubectl --help. Upstream: kubectl pkg/cmd/cmd.go, NewKubectlCommand.
var groups = []struct {
	title string
	names []string
}{
	{"Basic Commands (Beginner)", []string{"create", "expose", "run", "set"}},
	{"Basic Commands (Intermediate)", []string{"explain", "get", "edit", "delete"}},
	{"Deploy Commands", []string{"rollout", "scale", "autoscale"}},
	{"Cluster Management Commands", []string{"certificate", "cluster-info", "top", "cordon", "uncordon", "drain", "taint"}},
	{"Troubleshooting and Debugging Commands", []string{"describe", "logs", "attach", "exec", "port-forward", "proxy", "cp", "auth", "debug", "events"}},
	{"Advanced Commands", []string{"diff", "apply", "patch", "replace", "wait", "kustomize"}},
	{"Settings Commands", []string{"label", "annotate", "completion"}},
}

// helpAbout is a command line that asks for help with a command. Upstream: github.com/spf13/cobra, Command.execute.
func helpAbout(name string) *invocation { return &invocation{command: lookup("help"), topic: name} }

// helpFor understands what stands behind help: words that are no command's are left alone, but for the first.
// Upstream: github.com/spf13/cobra, InitDefaultHelpCmd.
func helpFor(line []string, at int, arguments []string) (*invocation, error) {
	topic, path := "", ""
	for _, word := range arguments {
		if path = strings.TrimSpace(path + " " + word); aliases[path] != "" {
			path = aliases[path]
		}
		if lookup(path) == nil {
			break
		}
		topic = path
	}
	if topic == "" && len(arguments) > 0 {
		return nil, &ArgumentError{Arg: indexOf(line, at, arguments[0]),
			Message: fmt.Sprintf("Unknown help topic [%s]", "`"+strings.Join(arguments, "` `")+"`"), Cure: names("")}
	}
	return helpAbout(topic), nil
}
