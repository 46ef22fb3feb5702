package cri

// The commands that run other scripts and commands.

// subshell runs sh -c TEXT, or sh FILE.
func subshell(x *shell, argv []string) int32 {
	p := parseShell(argv)
	if p.script == nil {
		file := scriptFile(argv)
		switch {
		case file == "" && x.typing != nil:
			return x.inside(func(inner *shell) { inner.interact(base(argv[0])) })
		case file == "":
			return x.script(x.input(), nil)
		}
		text, ok := x.read(x.container, clean(x.dir, file))
		if !ok {
			x.complain(argv[0] + ": can't open '" + file + "': No such file or directory")
			return 2
		}
		return x.script(text, argv[1:])
	}
	return x.shell(p.script)
}

// script runs the text of a script in a shell of its own.
func (x *shell) script(text string, args []string) int32 {
	s := parseScript(text)
	s.args = args
	return x.shell(s)
}

func (x *shell) shell(s *script) int32 {
	if s.failure != "" {
		x.complain("sh: " + s.failure)
		return 2
	}
	return x.inside(func(inner *shell) {
		inner.args, inner.name, inner.errexit = s.args, s.name, s.errexit
		inner.list(s.body)
	})
}

// inside runs a shell inside this one.
func (x *shell) inside(run func(*shell)) int32 {
	inner := *x
	inner.args, inner.name, inner.errexit, inner.pipefail, inner.trap = nil, "", false, false, nil
	inner.vars = map[string]string{}
	for name, value := range x.vars { // order: a copy
		inner.vars[name] = value
	}
	if x.nested(func() { run(&inner) }); x.ended() {
		return 2
	}
	if x.killed() {
		return 137
	}
	return inner.status
}

// file runs a script that is a file of the container. It tells false if there is no such file.
func (x *shell) file(argv []string) bool {
	path := clean(x.dir, argv[0])
	text, ok := x.read(x.container, path)
	if !ok {
		return false
	}
	if v, inside, _ := x.container.resolve(path); v.mode(inside)&0o111 == 0 {
		x.complain("sh: " + argv[0] + ": Permission denied")
		x.status = 126
		return true
	}
	x.status = x.script(text, argv)
	return true
}

// source runs a file in this shell.
func source(x *shell, argv []string) int32 {
	if len(argv) < 2 {
		return x.complain("sh: source: filename argument required")
	}
	text, ok := x.read(x.container, clean(x.dir, argv[1]))
	if !ok {
		x.complain("sh: source: can't open '" + argv[1] + "': No such file or directory")
		x.over = true // as a special command's failure is the end of a script
		return 2
	}
	s := parseScript(text)
	if s.failure != "" {
		x.complain("sh: " + argv[1] + ": " + s.failure)
		return 2
	}
	x.nested(func() { x.list(s.body) })
	return x.status
}

// timeout ends a command after a time, with SIGTERM. Upstream: busybox coreutils/timeout.c.
func timeout(x *shell, argv []string) int32 {
	if len(argv) < 3 {
		return x.complain("timeout: missing operand")
	}
	d, ok := parseSeconds(argv[1])
	if !ok {
		return x.complain("timeout: invalid number '" + argv[1] + "'")
	}
	inner := *x
	inner.until = min(x.patience(), x.proc.Now()+d)
	inner.exec(argv[2:])
	switch {
	case x.killed():
		return x.status
	case x.proc.Now() >= inner.until:
		return 128 + int32(sigterm)
	}
	return inner.status
}
