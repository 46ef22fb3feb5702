package cri

import (
	"io"
	"strconv"
	"strings"

	"kubewalk/playground/api/ustar"
)

// longestPath is Linux' PATH_MAX.
const longestPath = 4096

// tarball is what a command line of tar asks for.
type tarball struct {
	*shell
	do        byte   // c, x, t; 0 is missing
	file, dir string // of -f and -C
	names     []string
	usual     bool // permissions are not those of the archive
	stripped  bool // it was told that names lose what they begin with
	code      int32
	archive   strings.Builder // that is written
}

// tar packs files into an archive and unpacks them, which is what kubectl cp has it do on its other side.
//
// Simplified: nothing is compressed, there are no links, files have no times, and -v says nothing.
// Upstream: busybox archival/tar.c.
func tar(x *shell, argv []string) int32 {
	t := tarball{shell: x, file: "-", dir: x.dir}
	args := argv[1:]
	for i := 0; i < len(args); i++ {
		a := args[i]
		dash := strings.HasPrefix(a, "-")
		switch {
		case a == "-" || i > 0 && !dash:
			t.names = append(t.names, a)
			continue
		case strings.HasPrefix(a, "--"):
			t.usual = t.usual || a == "--no-same-permissions"
			continue
		case dash:
			a = a[1:]
		}
		for a != "" {
			option, value := a[0], a[1:]
			if a = value; option == 'f' || option == 'C' {
				if a = ""; value == "" && i+1 < len(args) {
					i++
					value = args[i]
				}
			}
			switch option {
			case 'c', 'x', 't':
				t.do = option
			case 'f':
				t.file = value
			case 'C':
				if t.dir = clean(x.dir, value); !x.container.isDir(t.dir) {
					return t.cannot("change directory to", value, "No such file or directory")
				}
			case 'o':
				t.usual = true
			}
		}
	}
	switch t.do {
	case 0:
		return x.complain("Usage: tar c|x|t [-mo] [-f TARFILE] [-C DIR] [FILE]...")
	case 'c':
		t.create()
	default:
		t.extract()
	}
	return t.code
}

func (t *tarball) fail(text string) int32 {
	t.code = t.complain("tar: " + text)
	return t.code
}

func (t *tarball) cannot(do, name, why string) int32 {
	return t.fail("can't " + do + " '" + name + "': " + why)
}

// safe is a name without what leads out of the directory. Upstream: archival/libarchive/unsafe_prefix.c.
func (t *tarball) safe(name string) string {
	i := 0
	for ; i < len(name); i++ {
		if strings.HasPrefix(name[i:], "../") {
			i += 2
		} else if name[i] != '/' {
			break
		}
	}
	if i > 0 && !t.stripped {
		t.stripped = true
		t.complain("tar: removing leading '" + name[:i] + "' from member names")
	}
	return name[i:]
}

// create writes an archive of the files that are named.
func (t *tarball) create() {
	if len(t.names) == 0 {
		t.fail("empty archive")
		return
	}
	for _, name := range t.names {
		t.add(strings.TrimRight(name, "/"))
	}
	t.emit(ustar.End)
	if t.code != 0 {
		t.complain("tar: error exit delayed from previous errors")
	}
	if t.file != "-" {
		if why := t.write(clean(t.shell.dir, t.file), t.archive.String(), false); why != "" {
			t.cannot("open", t.file, why)
		}
	}
}

// emit writes a part of the archive.
func (t *tarball) emit(text string) {
	if t.file == "-" {
		t.out("stdout", plain(text))
	} else if t.archive.Len() <= mostFile {
		t.archive.WriteString(text)
	}
}

// add writes a file, or a directory with all that is in it.
func (t *tarball) add(name string) {
	path := clean(t.dir, name)
	text, file := t.read(t.container, path)
	if len(name) >= longestPath {
		t.fail(name[:longestPath] + ": File name too long")
		return
	}
	if !file && !t.container.isDir(path) {
		t.fail(name + ": No such file or directory")
		return
	}
	inside := t.safe(name)
	v, at, _ := t.container.resolve(path)
	if file {
		t.header(inside, ustar.File, v.mode(at), len(text))
		t.emit(text + ustar.Padding(len(text)))
		return
	}
	if inside != "" {
		t.header(inside+"/", ustar.Directory, 0o755, 0)
	}
	t.step(len(v.files))
	for _, entry := range t.container.listDir(path) {
		if t.ended() {
			return
		}
		t.add(name + "/" + entry)
	}
}

// header writes what stands before a member.
func (t *tarball) header(name string, kind byte, mode int32, size int) {
	c := &t.container.Config
	m := ustar.Member{Name: name, Kind: kind, Mode: mode, UID: c.User, GID: c.Group, Time: t.proc.Time().Unix(), Size: size}
	t.emit(m.Header())
}

// extract unpacks an archive, or lists what is in it.
func (t *tarball) extract() {
	text, ok := t.input(), true
	if t.file != "-" {
		if text, ok = t.read(t.container, clean(t.shell.dir, t.file)); !ok {
			t.cannot("open", t.file, "No such file or directory")
			return
		}
	}
	for !t.ended() {
		m, rest, err := ustar.Next(text)
		if err == io.EOF {
			return
		}
		if err != nil {
			t.fail(err.Error())
			return
		}
		if text = rest; t.wants(m.Name) && !t.member(&m) {
			return
		}
	}
}

// wants tells whether a member is among those that are named; without names, all are.
func (t *tarball) wants(name string) bool {
	for _, n := range t.names {
		if strings.HasPrefix(name+"/", strings.TrimRight(n, "/")+"/") {
			return true
		}
	}
	return len(t.names) == 0
}

// member unpacks one. It tells false after a failure that ends everything. Upstream: archival/libarchive/data_extract_all.c.
func (t *tarball) member(m *ustar.Member) bool {
	if t.do == 't' {
		t.say(m.Name)
		return true
	}
	name := strings.TrimRight(t.safe(m.Name), "/")
	path, why, do := clean(t.dir, name), "", "open"
	kind, isDir := m.Kind, t.container.isDir(path)
	switch {
	case len(name) >= longestPath:
		name, why = name[:longestPath], "File name too long"
	case kind == ustar.Directory && isDir:
		return true
	case kind == ustar.Directory:
		do, why = "create directory", t.write(path+"/", "", false)
	case kind != ustar.File:
		t.cannot("create link", name, "Operation not permitted")
		return true
	case isDir:
		do, why = "remove old file", "Is a directory"
	default:
		why = t.write(path, m.Data, false)
	}
	if why != "" {
		t.cannot(do, name, why)
		return false
	}
	v, at, _ := t.container.resolve(path)
	mode := m.Mode & 0o777
	if t.usual {
		mode &^= 0o022
	}
	if m.Mode >= 0 && kind != ustar.Directory && mode != v.mode(at) {
		v.setMode(at, mode)
	}
	return true
}

// hexdump shows bytes as hexdump -C does. Upstream: busybox util-linux/hexdump.c.
func hexdump(x *shell, argv []string) int32 {
	text, name := x.input(), argv[len(argv)-1]
	if len(argv) > 1 && !strings.HasPrefix(name, "-") {
		var ok bool
		if text, ok = x.read(x.container, clean(x.dir, name)); !ok {
			return x.complain("hexdump: " + name + ": No such file or directory")
		}
	}
	const width, digits = 16, "0123456789abcdef"
	offset := func(n int) string { return strconv.FormatInt(int64(n)|1<<32, 16)[1:] }
	for at := 0; at < len(text) && !x.ended(); at += width {
		line, shown := []byte(offset(at)), []byte("  |")
		for i := range width {
			if i%8 == 0 {
				line = append(line, ' ')
			}
			if at+i >= len(text) {
				line = append(line, "   "...)
				continue
			}
			c := text[at+i]
			line = append(line, ' ', digits[c>>4], digits[c&15])
			if c < ' ' || c > '~' {
				c = '.'
			}
			shown = append(shown, c)
		}
		x.say(string(line) + string(shown) + "|")
	}
	if text == "" {
		return 0
	}
	return x.say(offset(len(text)))
}
