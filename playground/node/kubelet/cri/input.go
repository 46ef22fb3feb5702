package cri

import "strings"

// ReadsInput tells whether a command reads its standard input, so that somebody who executes it in a container has to give that first.
// A shell reads what the first command of one of its pipes does.
func ReadsInput(argv []string) bool {
	if len(argv) == 0 {
		return false
	}
	files, dash := 0, false
	for _, a := range argv[1:] {
		if dash = dash || a == "-"; !strings.HasPrefix(a, "-") {
			files++
		}
	}
	switch base(argv[0]) {
	case "cat", "head", "tail", "wc":
		return files == 0 || dash
	case "grep":
		return files < 2
	case "tee", "jq":
		return true
	case "tar":
		for _, a := range argv[1:] { // the first one that is no --option says what it does, and with which file
			if !strings.HasPrefix(a, "--") {
				return strings.ContainsAny(a, "xt") && (dash || !strings.Contains(a, "f"))
			}
		}
	case "timeout":
		return len(argv) > 2 && ReadsInput(argv[2:])
	case "exec":
		return ReadsInput(argv[1:])
	case "sh", "bash", "ash", "dash":
		p := parseShell(argv)
		return p.script == nil && files == 0 || p.script != nil && p.script.body.readsInput()
	}
	return false
}

func (l *list) readsInput() bool {
	if l == nil {
		return false
	}
	for _, s := range l.items {
		if s.cond.readsInput() || s.body.readsInput() || s.elseBody.readsInput() || len(s.pipe) > 0 && s.pipe[0].readsInput() {
			return true
		}
	}
	return false
}

func (c *command) readsInput() bool {
	for _, r := range c.redirect {
		if r.input || r.here {
			return false
		}
	}
	var argv []string
	for _, w := range c.words {
		text := ""
		for _, p := range w {
			text += p.text
		}
		argv = append(argv, text)
	}
	return ReadsInput(argv)
}
