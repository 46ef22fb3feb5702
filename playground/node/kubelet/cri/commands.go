package cri

import (
	"slices"
	"sort"
	"strconv"
	"strings"
	"time"
)

// commands are the commands of a shell and of a small system around it; each
// returns what it exits with. (It is filled in by init, because some of them run others.)
var commands map[string]func(x *shell, argv []string) int32

func init() {
	commands = map[string]func(x *shell, argv []string) int32{
		"true": succeed, ":": succeed, "wait": succeed, "chmod": succeed, "chown": succeed, "sync": succeed, "ulimit": succeed,
		"false": func(*shell, []string) int32 { return 1 },
		"echo":  echo, "printf": printf, "cat": cat, "ls": ls, "env": printenv, "printenv": printenv,
		"hostname": func(x *shell, argv []string) int32 {
			if argv[len(argv)-1] == "-f" {
				return x.say(x.sandbox.fqdn())
			}
			return x.say(x.sandbox.hostname())
		},
		"date":   func(x *shell, _ []string) int32 { return x.say(x.proc.Time().Format("Mon Jan _2 15:04:05 UTC 2006")) },
		"whoami": func(x *shell, _ []string) int32 { return x.say("root") },
		"id":     identity,
		"uname":  func(x *shell, _ []string) int32 { return x.say("Linux") },
		"pwd":    func(x *shell, _ []string) int32 { return x.say(x.dir) },
		"cd":     changeDir, "touch": touch, "rm": remove, "mv": move, "mkdir": makeDir, "test": test, "[": test, "[[": test, "expr": expr,
		"sleep": sleep, "usleep": sleep, "exit": exit, "set": set, "export": export, "unset": unset, "trap": trap, "kill": kill, "exec": replace,
		"break": func(x *shell, _ []string) int32 { x.breaks = true; return 0 },
		"tail":  tail, "yes": yes, "grep": grep, "tee": tee, "head": head, "rev": rev, "wc": count, "seq": seq, "ps": processes,
		"sh": subshell, "bash": subshell, "ash": subshell, "dash": subshell, "read": read, ".": source, "source": source, "timeout": timeout,
		"wget": wget, "curl": curl, "nslookup": nslookup, "nc": netcat, "netstat": netstat, "tar": tar, "hexdump": hexdump,
	}
}

func (x *shell) say(text string) int32 {
	x.step(lines(len(text)))
	x.out("stdout", text)
	return 0
}

func (x *shell) complain(text string) int32 {
	x.out("stderr", text)
	return 1
}

// identity prints whom the container's processes run as. Upstream: busybox coreutils/id.c.
func identity(x *shell, argv []string) int32 {
	c := &x.container.Config
	user, group := strconv.FormatInt(c.User, 10), strconv.FormatInt(c.Group, 10)
	switch argv[len(argv)-1] {
	case "-u":
		return x.say(user)
	case "-g":
		return x.say(group)
	}
	root := func(id string) string {
		if id == "0" {
			return "0(root)"
		}
		return id
	}
	groups := root(group)
	for _, g := range c.Groups {
		groups += "," + root(strconv.FormatInt(g, 10))
	}
	return x.say("uid=" + root(user) + " gid=" + root(group) + " groups=" + groups)
}

func succeed(*shell, []string) int32 { return 0 }

func echo(x *shell, argv []string) int32 {
	argv = argv[1:]
	end, escaped := "\n", false
	for len(argv) > 0 && (argv[0] == "-n" || argv[0] == "-e" || argv[0] == "-en" || argv[0] == "-ne") {
		if argv[0] != "-e" {
			end = ""
		}
		escaped = escaped || argv[0] != "-n"
		argv = argv[1:]
	}
	text := strings.Join(argv, " ")
	if escaped {
		text = escapes.Replace(text)
	}
	return x.say(plain(text + end))
}

var escapes = strings.NewReplacer(`\n`, "\n", `\t`, "\t", `\\`, `\`)

// read returns what is in a file of a container, at the cost of reading it.
func (x *shell) read(c *Container, path string) (string, bool) {
	text, ok := c.readFile(path)
	if !ok {
		text, ok = x.sandbox.managedFile(path)
	}
	if !ok && kernelFile != nil {
		text, ok = kernelFile(c, path)
	}
	x.step(lines(len(text)))
	return text, ok
}

// kernelFile is what the kernel says in files about a container, in builds that have it.
var kernelFile func(c *Container, path string) (string, bool)

// write writes a file of the script's container, at the cost of writing it; it
// returns why it could not.
func (x *shell) write(path, text string, more bool) string {
	bytes := len(text)
	if more {
		old, _ := x.container.readFile(path)
		bytes += len(old)
	}
	x.step(lines(bytes))
	return x.container.writeFile(path, text, more)
}

func printf(x *shell, argv []string) int32 {
	if len(argv) < 2 {
		return 1
	}
	args := argv[2:]
	var b strings.Builder
	for text := escapes.Replace(argv[1]); text != ""; text = text[1:] {
		if text[0] == '%' && len(text) > 1 {
			text = text[1:]
			if text[0] == '%' {
				b.WriteByte('%')
			} else if len(args) > 0 {
				b.WriteString(args[0])
				args = args[1:]
			}
			continue
		}
		b.WriteByte(text[0])
	}
	return x.say(plain(b.String()))
}

func cat(x *shell, argv []string) int32 {
	if x.typing != nil && (len(argv) == 1 || argv[1] == "-") {
		for {
			line, ok := x.line()
			if !ok {
				return x.status
			}
			x.say(line)
		}
	}
	if len(argv) == 1 {
		if x.input() != "" {
			x.out("stdout", plain(x.input()))
		}
		return 0
	}
	code := int32(0)
	for _, name := range argv[1:] {
		c, path := x.seen(clean(x.dir, name))
		switch text, ok := x.read(c, path); {
		case name == "-":
			x.out("stdout", plain(x.input()))
		case ok:
			x.out("stdout", plain(text))
		case c.isDir(path):
			code = x.complain("cat: read error: Is a directory")
		default:
			code = x.complain("cat: can't open '" + name + "': No such file or directory")
		}
	}
	return code
}

func ls(x *shell, argv []string) int32 {
	var paths []string
	for _, a := range argv[1:] {
		if !strings.HasPrefix(a, "-") {
			paths = append(paths, a)
		}
	}
	if len(paths) == 0 {
		paths = []string{x.dir}
	}
	code := int32(0)
	for _, name := range paths {
		c, path := x.seen(clean(x.dir, name))
		if _, ok := c.readFile(path); ok {
			x.say(name)
		} else if c.isDir(path) {
			entries := c.listDir(path)
			switch path {
			case "/":
				entries = append(entries, usualDirs...)
			case "/etc":
				entries = append(entries, "hostname", "hosts", "resolv.conf") // see managedFile
			}
			slices.Sort(entries)
			for _, entry := range slices.Compact(entries) {
				x.say(entry)
			}
		} else {
			code = x.complain("ls: " + name + ": No such file or directory")
		}
	}
	return code
}

func printenv(x *shell, argv []string) int32 {
	if len(argv) > 1 && base(argv[0]) == "printenv" {
		code := int32(0)
		for _, name := range argv[1:] {
			if v, ok := x.vars[name]; ok {
				x.say(v)
			} else {
				code = 1
			}
		}
		return code
	}
	names := make([]string, 0, len(x.vars))
	for name := range x.vars {
		if !strings.Contains(name, "[") { // items of arrays
			names = append(names, name)
		}
	}
	sort.Strings(names)
	for _, name := range names {
		x.say(name + "=" + x.vars[name])
	}
	return 0
}

func changeDir(x *shell, argv []string) int32 {
	if len(argv) > 1 {
		x.dir = clean(x.dir, argv[1])
	}
	return 0
}

func touch(x *shell, argv []string) int32 {
	code := int32(0)
	for _, name := range argv[1:] {
		if why := x.write(clean(x.dir, name), "", true); why != "" {
			code = x.complain("touch: " + name + ": " + why)
		}
	}
	return code
}

func remove(x *shell, argv []string) int32 {
	code, force := int32(0), false
	for _, name := range argv[1:] {
		if strings.HasPrefix(name, "-") {
			force = force || strings.Contains(name, "f")
			continue
		}
		path := clean(x.dir, name)
		v, inside, readOnly := x.container.resolve(path)
		_, file := v.Read(inside)
		switch {
		case readOnly:
			code = x.complain("rm: can't remove '" + name + "': Read-only file system")
		case !file && !force && !x.container.isDir(path):
			code = x.complain("rm: can't remove '" + name + "': No such file or directory")
		default:
			v.Remove(inside)
		}
	}
	return code
}

// move renames a file, or puts files into a directory.
func move(x *shell, argv []string) int32 {
	var names []string
	verbose := false
	for _, name := range argv[1:] {
		if strings.HasPrefix(name, "-") {
			verbose = verbose || strings.Contains(name, "v")
		} else {
			names = append(names, name)
		}
	}
	if len(names) < 2 {
		return x.complain("mv: missing file operand")
	}
	code, to := int32(0), names[len(names)-1]
	for _, name := range names[:len(names)-1] {
		from, target := clean(x.dir, name), to
		if x.container.isDir(clean(x.dir, to)) {
			target = strings.TrimSuffix(to, "/") + "/" + base(name)
		}
		v, inside, readOnly := x.container.resolve(from)
		text, ok := x.read(x.container, from)
		switch {
		case !ok:
			code = x.complain("mv: can't rename '" + name + "': No such file or directory")
		case readOnly:
			code = x.complain("mv: can't rename '" + name + "': Read-only file system")
		case from == clean(x.dir, target):
		default:
			if why := x.write(clean(x.dir, target), text, false); why != "" {
				code = x.complain("mv: can't create '" + target + "': " + why)
				continue
			}
			v.Remove(inside)
			if verbose {
				x.say("'" + name + "' -> '" + target + "'")
			}
		}
	}
	return code
}

func makeDir(x *shell, argv []string) int32 {
	for _, name := range argv[1:] {
		if path := clean(x.dir, name); !strings.HasPrefix(name, "-") && !x.container.isDir(path) {
			x.write(path+"/", "", false)
		}
	}
	return 0
}

// test knows files, strings and numbers.
func test(x *shell, argv []string) int32 {
	args := argv[1:]
	if n := len(args); n > 0 && (argv[0] == "[" && args[n-1] == "]" || argv[0] == "[[" && args[n-1] == "]]") {
		args = args[:len(args)-1]
	}
	yes := false
	not := len(args) > 0 && args[0] == "!"
	if not {
		args = args[1:]
	}
	switch len(args) {
	case 1:
		yes = args[0] != ""
	case 2:
		path := clean(x.dir, args[1])
		text, file := x.container.readFile(path)
		switch args[0] {
		case "-f":
			yes = file
		case "-d":
			yes = !file && x.container.isDir(path)
		case "-e", "-r", "-w":
			yes = file || x.container.isDir(path)
		case "-s":
			yes = text != ""
		case "-n":
			yes = args[1] != ""
		case "-z":
			yes = args[1] == ""
		}
	case 3:
		a, _ := strconv.ParseInt(args[0], 10, 64)
		b, _ := strconv.ParseInt(args[2], 10, 64)
		switch args[1] {
		case "=", "==":
			yes = args[0] == args[2]
		case "!=":
			yes = args[0] != args[2]
		case "-eq":
			yes = a == b
		case "-ne":
			yes = a != b
		case "-lt":
			yes = a < b
		case "-le":
			yes = a <= b
		case "-gt":
			yes = a > b
		case "-ge":
			yes = a >= b
		}
	}
	if yes != not {
		return 0
	}
	return 1
}

// expr prints what comes of two numbers, and fails when that is 0.
func expr(x *shell, argv []string) int32 {
	if len(argv) != 4 {
		x.complain("expr: syntax error")
		return 2
	}
	a, errA := strconv.ParseInt(argv[1], 10, 64)
	b, errB := strconv.ParseInt(argv[3], 10, 64)
	op := argv[2]
	switch {
	case errA != nil || errB != nil || len(op) != 1 || !strings.Contains("+-*/%", op):
		x.complain("expr: non-numeric argument")
		return 2
	case b == 0 && (op == "/" || op == "%"):
		x.complain("expr: division by zero")
		return 2
	}
	result := map[string]func() int64{
		"+": func() int64 { return a + b }, "-": func() int64 { return a - b }, "*": func() int64 { return a * b },
		"/": func() int64 { return a / b }, "%": func() int64 { return a % b },
	}[op]()
	x.say(strconv.FormatInt(result, 10))
	if result == 0 {
		return 1
	}
	return 0
}

func sleep(x *shell, argv []string) int32 {
	if len(argv) < 2 {
		return x.complain("sleep: missing operand")
	}
	if argv[1] == "infinity" || argv[1] == "inf" {
		for x.sleep(24 * time.Hour) {
		}
		return 137
	}
	d, ok := parseSeconds(argv[1])
	if !ok {
		return x.complain("sleep: invalid number '" + argv[1] + "'")
	}
	if argv[0] == "usleep" {
		d /= 1_000_000
	}
	x.sleep(d)
	return 0
}

func exit(x *shell, argv []string) int32 {
	code := x.status
	if len(argv) > 1 {
		n, err := strconv.ParseInt(argv[1], 10, 64)
		if err != nil {
			x.complain("sh: exit: Illegal number: " + argv[1])
			n = 2
		}
		code = int32(n & 255)
	}
	x.over = true
	return code
}

func set(x *shell, argv []string) int32 {
	for i, a := range argv[1:] {
		if a == "pipefail" && strings.HasSuffix(argv[i], "o") {
			x.pipefail = argv[i][0] == '-'
		} else if strings.HasPrefix(a, "-") && strings.Contains(a, "e") {
			x.errexit = true
		} else if strings.HasPrefix(a, "+") && strings.Contains(a, "e") {
			x.errexit = false
		}
	}
	return 0
}

func export(x *shell, argv []string) int32 {
	for _, a := range argv[1:] {
		if name, value, ok := strings.Cut(a, "="); ok {
			x.assign(name, value)
		}
	}
	return 0
}

func unset(x *shell, argv []string) int32 {
	for _, a := range argv[1:] {
		x.assign(a, "")
		delete(x.vars, a)
	}
	return 0
}

// trap knows SIGTERM: trap 'echo bye; exit 0' TERM.
func trap(x *shell, argv []string) int32 {
	if len(argv) < 3 {
		return 0
	}
	for _, sig := range argv[2:] {
		if s := strings.TrimPrefix(sig, "SIG"); s == "TERM" || s == "15" {
			script := parseScript(argv[1])
			if script.failure != "" {
				return x.complain("sh: " + script.failure)
			}
			x.trap = script.body
		}
	}
	return 0
}

// kill reaches process 1, the container's program. SIGKILL doesn't: the kernel
// protects process 1 from its own container.
func kill(x *shell, argv []string) int32 {
	sig := "TERM"
	for _, a := range argv[1:] {
		if strings.HasPrefix(a, "-") {
			sig = strings.TrimPrefix(strings.TrimPrefix(a, "-"), "SIG")
			continue
		}
		if t := x.runtime.tasks[x.container.ID]; a == "1" && t != nil && (sig == "TERM" || sig == "15") {
			x.runtime.signal(x.proc, x.container, sigterm)
		} else if a != "1" {
			return x.complain("sh: can't kill pid " + a + ": No such process")
		}
	}
	return 0
}

// replace is exec: the program takes the shell's place, and hears its signals.
func replace(x *shell, argv []string) int32 {
	if len(argv) < 2 {
		return 0
	}
	if x.task != nil {
		x.task.execed = true
	}
	x.exec(argv[1:])
	x.over = true
	return x.status
}
