package cri

import "strings"

// ReadsInput tells whether a command reads its standard input, so that somebody who executes it in a container has to give that first.
// A shell reads what the first command of one of its pipes does.
func ReadsInput(argv []string) bool {
	if len(argv) == 0 {
		return false
	}
	switch base(argv[0]) {
	case "timeout":
		return len(argv) > 2 && ReadsInput(argv[2:])
	case "exec":
		return ReadsInput(argv[1:])
	case "sh", "bash", "ash", "dash":
		p := parseShell(argv)
		return p.script == nil && scriptFile(argv) == "" || p.script != nil && p.script.body.readsInput()
	}
	return readsAll(argv)
}

// readsAll tells whether a command that starts no other reads all of its standard input.
func readsAll(argv []string) bool {
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

// input is all that a command may read from its standard input.
func (x *shell) input() string {
	if x.stdin == nil {
		return ""
	}
	return *x.stdin
}

// reading has commands read a text, until the function that it returns is called.
func (x *shell) reading(text string) (restore func()) {
	stdin, typing := x.stdin, x.typing
	x.stdin, x.typing = &text, nil
	return func() { x.stdin, x.typing = stdin, typing }
}

// line takes the next line that there is to read. ok is false when there is none any more; what it has is then the last one, without an end.
func (x *shell) line() (line string, ok bool) {
	if x.typing != nil {
		return x.typing.readLine(x, "")
	}
	line, rest, ok := strings.Cut(x.input(), "\n")
	if x.stdin != nil {
		*x.stdin = rest
	}
	return line, ok
}

// read sets variables to the words of a line, the last one to all that is left: read [-r] [-p PROMPT] NAME...
//
// Simplified: a backslash has no meaning, with and without -r. Upstream: busybox shell/shell_common.c, shell_builtin_read.
func read(x *shell, argv []string) int32 {
	names := argv[1:]
	for ; len(names) > 0 && strings.HasPrefix(names[0], "-"); names = names[1:] {
		if names[0] == "-p" && len(names) > 1 {
			if x.typing != nil {
				x.typing.show(names[1])
			}
			names = names[1:]
		}
	}
	if len(names) == 0 {
		names = []string{"REPLY"}
	}
	line, ok := x.line()
	if x.over {
		return x.status
	}
	rest := strings.Trim(line, " \t")
	for i, name := range names {
		if !isAssignment(name + "=") {
			return x.complain(argv[0] + ": bad variable name")
		}
		word := rest
		if i < len(names)-1 {
			word, rest, _ = strings.Cut(rest, " ")
			rest = strings.TrimLeft(rest, " \t")
		}
		x.assign(name, word)
	}
	if !ok {
		return 1
	}
	return 0
}
