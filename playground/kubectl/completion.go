package kubectl

import (
	"errors"
	"strings"

	"kubewalk/playground/api"
)

// completeName is the hidden command that completion scripts ask how a line goes on.
const completeName = "__complete"

// What __complete says of its answer, in bits. Upstream: github.com/spf13/cobra, completions.go, ShellCompDirective.
const noFiles = 4

// runComplete is kubectl __complete WORD…, whose last word is the one that is completed: an answer in a line, with what it is behind a tab, and what
// may stand there besides in the last line. Behind __completeNoDesc, there is nothing behind a tab.
//
// Simplified: the answers are those of Tab in the page. They are from the same table, kinds have no groups, and few values of flags are completed.
// Upstream: github.com/spf13/cobra, completions.go, initCompleteCmd.
func runComplete(s *session) error {
	if len(s.args) == 0 {
		return errors.New("requires at least 1 arg(s), only received 0")
	}
	end := len(s.args) - 1
	c := complete(s.args[:end], s.args[end], s.namespace)
	for _, word := range c.Words {
		word = strings.TrimRight(word, " =")
		if c.about != nil && s.name == completeName {
			if text := c.about(word); text != "" {
				word += "\t" + text
			}
		}
		s.printf("%s\n", word)
	}
	for _, name := range s.namesFor(c) {
		if word := c.Prefix + name; strings.HasPrefix(word, s.args[end]) {
			s.printf("%s\n", word)
		}
	}
	directive, name := 0, "Default"
	if c.closed {
		directive, name = noFiles, "NoFileComp"
	}
	s.printf(":%d\n", directive)
	s.complain("Completion ended with directive: ShellCompDirective" + name)
	return nil
}

// namesFor are the names of the objects that may be named there; none where the server doesn't tell.
func (s *session) namesFor(c Completion) (names []string) {
	k := api.Resolve(c.Resource)
	if k == nil {
		return nil
	}
	objects, _ := s.items(k, strings.TrimSuffix(c.Namespace, "*"), "", "")
	for _, o := range objects {
		names = append(names, o.GetName())
	}
	return names
}
