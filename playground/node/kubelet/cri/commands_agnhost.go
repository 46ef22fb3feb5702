//go:build !js || cel

package cri

import (
	"io/fs"
	"strconv"
	"strings"
	"time"
)

func init() { commands["agnhost"], commands["agnhost-2"] = agnhostCommand, agnhostCommand }

// agnhostCommand runs those of agnhost's subcommands that end: it prints what a container sees of its files, or its own arguments.
// Upstream: test/images/agnhost/mounttest, entrypoint-tester, etc-hosts and dns.
func agnhostCommand(x *shell, argv []string) int32 {
	if lookup(x.container.Config.Image) != &agnhost {
		x.complain("sh: " + argv[0] + ": not found")
		return 127
	}
	if len(argv) < 2 {
		return x.complain("agnhost: which subcommand?")
	}
	switch argv[1] {
	case "entrypoint-tester":
		return x.say("[" + strings.Join(argv, " ") + "]")
	case "dns-suffix", "dns-server-list":
		dns := x.sandbox.Config.DNS
		return x.say(strings.Join(map[string][]string{"dns-suffix": dns.Searches, "dns-server-list": dns.Servers}[argv[1]], ","))
	case "etc-hosts":
		return cat(x, []string{"cat", "/etc/hosts"})
	case "mounttest":
		return mountTest(x, flags(argv[2:]))
	}
	return x.complain(`Error: unknown command "` + argv[1] + `" for "app"`)
}

// newFile is what mounttest writes.
const newFile = "mount-tester new file\n"

// mountTest does what its options ask for, in this order whatever theirs.
func mountTest(x *shell, options map[string]string) int32 {
	failed := int32(0)
	each := func(option string, do func(path string) bool) {
		if path := options[option]; path != "" && !do(path) {
			failed = 1
		}
	}
	each("fs_type", func(path string) bool {
		v, _, _ := x.container.resolve(clean("/", path))
		name := "ext4"
		if v.InMemory {
			name = "tmpfs"
		}
		x.say("mount type of " + strconv.Quote(path) + ": " + name)
		return true
	})
	for _, mode := range []string{"0644", "0666", "0660", "0777"} {
		each("new_file_"+mode, func(path string) bool {
			if why := x.write(clean("/", path), newFile, false); why != "" {
				x.say("error writing new file " + strconv.Quote(path) + ": open " + path + ": " + strings.ToLower(why))
				return false
			}
			v, inside, _ := x.container.resolve(clean("/", path))
			bits, _ := strconv.ParseInt(mode, 8, 32) // one of those above
			v.setMode(inside, int32(bits))
			return x.showContent(path)
		})
	}
	each("file_mode", func(path string) bool { return x.showMode("mode", path, func(m fs.FileMode) fs.FileMode { return m }) })
	each("file_perm", func(path string) bool { return x.showMode("perms", path, fs.FileMode.Perm) })
	each("file_owner", func(path string) bool {
		x.say("owner UID of " + strconv.Quote(path) + ": 0")
		x.say("owner GID of " + strconv.Quote(path) + ": 0")
		return true
	})
	each("file_content", x.showContent)
	each("file_content_in_loop", func(path string) bool { return x.showContentInLoop(path, options) })
	return failed
}

func (x *shell) showContent(path string) bool {
	text, ok := x.read(x.container, clean("/", path))
	if !ok {
		x.say("error reading file content for " + strconv.Quote(path) + ": open " + path + ": no such file or directory")
		return false
	}
	x.say("content of file " + strconv.Quote(path) + ": " + text)
	return true
}

// showMode prints permissions: all bits of directories are set, for everybody may write to volumes.
func (x *shell) showMode(what, path string, of func(fs.FileMode) fs.FileMode) bool {
	at := clean("/", path)
	v, inside, _ := x.container.resolve(at)
	mode := fs.FileMode(v.mode(inside))
	if _, ok := v.Read(inside); !ok {
		if !x.container.isDir(at) {
			x.say("error getting file " + what + " for " + strconv.Quote(path) + ": lstat " + path + ": no such file or directory")
			return false
		}
		mode = fs.ModeDir | fs.ModePerm
		if v.InMemory {
			mode |= fs.ModeSticky
		}
	}
	x.say(what + " of file " + strconv.Quote(path) + ": " + of(mode).String())
	return true
}

func (x *shell) showContentInLoop(path string, options map[string]string) bool {
	seconds := 180
	if n, err := strconv.Atoi(options["retry_time"]); err == nil {
		seconds = n
	}
	found := false
	for end, alive := x.proc.Now()+time.Duration(seconds)*time.Second, true; alive && x.proc.Now() < end; alive = x.sleep(2 * time.Second) {
		var text string
		if text, found = x.read(x.container, clean("/", path)); !found {
			x.say("Error reading file " + path + ": open " + path + ": no such file or directory, retrying")
			continue
		}
		x.say("content of file " + strconv.Quote(path) + ": " + text)
		if options["break_on_expected_content"] == "false" {
			continue
		}
		if text == newFile {
			break
		}
		x.say("Unexpected content. Expected: " + newFile + ". Retrying")
	}
	return found
}
