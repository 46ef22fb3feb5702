package cri

import (
	"maps"
	"slices"
	"sort"
	"strings"
)

// Volume is a directory that outlives the containers that it is mounted into.
// Paths in it are relative and have no leading slash: "a/b". "" is the volume
// itself, when that is a single file (a mount of a subPath).
type Volume struct {
	files map[string]string
	// Atomic is true for what the kubelet writes as a whole: ConfigMaps, Secrets,
	// the downward API. A container that mounts one file of it by subPath has that
	// file as it was when the container was created.
	// Upstream: pkg/volume/util/atomic_writer.go.
	Atomic bool
	// InMemory is true for an emptyDir of medium Memory, whose file system is tmpfs.
	InMemory bool
	// Image names the image whose files it shows to those who mount it; "" for none. Upstream: CRI's Mount.image.
	Image string
	// modes are the permissions of files that have not the usual ones.
	modes map[string]int32
	// watch is called when a file was written or deleted; nil for nobody. Upstream: inotify.
	watch func()
}

// Watch has a function called whenever a file was written or deleted. There is one at most.
func (v *Volume) Watch(changed func()) { v.watch = changed }

func (v *Volume) changed() {
	if v.watch != nil {
		v.watch()
	}
}

// usualMode is that of files that nobody gave another.
const usualMode = 0o644

// mode is what a file's permissions are.
func (v *Volume) mode(path string) int32 {
	if mode, ok := v.modes[path]; ok {
		return mode
	}
	if mode, ok := v.modes[""]; ok {
		return mode
	}
	return usualMode
}

// setMode gives a file permissions.
func (v *Volume) setMode(path string, mode int32) {
	if v.modes == nil {
		v.modes = map[string]int32{}
	}
	v.modes[path] = mode
}

// Bounds of what programs write into a volume: bytes in a file, and files.
const mostFile, mostFiles = 4 << 20, 10_000

// NewVolume returns an empty directory.
func NewVolume() *Volume { return &Volume{files: map[string]string{}} }

// Write makes a file, or replaces what is in it.
func (v *Volume) Write(path, data string) {
	v.files[path] = data
	v.changed()
}

// Read returns what is in a file.
func (v *Volume) Read(path string) (data string, ok bool) {
	data, ok = v.files[path]
	return data, ok
}

// Remove deletes a file, or a directory with all that is in it.
func (v *Volume) Remove(path string) {
	for name := range v.files { // order: deleting has none
		if name == path || strings.HasPrefix(name, path+"/") {
			delete(v.files, name)
		}
	}
	v.changed()
}

// Replace makes the volume hold exactly these files, with permissions by path, and at "" those of all others. It tells whether
// any file changed.
func (v *Volume) Replace(files map[string]string, modes map[string]int32) bool {
	v.modes = modes
	same := len(files) == len(v.files)
	for name, data := range files { // order: one difference is as good as another
		if old, ok := v.files[name]; !ok || old != data {
			same = false
		}
	}
	if same {
		return false
	}
	v.files = make(map[string]string, len(files))
	for name, data := range files { // order: a copy
		v.files[name] = data
	}
	return true
}

// CopyFrom makes the volume hold what another holds now.
func (v *Volume) CopyFrom(o *Volume) { v.Replace(o.files, maps.Clone(o.modes)) }

// Bytes is how much is in the volume's files.
func (v *Volume) Bytes() int64 {
	n := int64(0)
	for _, data := range v.files { // order: a sum
		n += int64(len(data))
	}
	return n
}

// List returns the names in a directory, in order; ok is false if there is no such directory.
func (v *Volume) List(dir string) (names []string, ok bool) {
	seen := map[string]bool{}
	prefix := dir + "/"
	if dir == "" {
		prefix = ""
	}
	for name := range v.files { // order: sorted below
		if rest, in := strings.CutPrefix(name, prefix); in && rest != "" {
			first, _, _ := strings.Cut(rest, "/")
			if !seen[first] {
				seen[first] = true
				names = append(names, first)
			}
		}
	}
	sort.Strings(names)
	return names, len(names) > 0 || dir == ""
}

// Mount puts a volume into a container's file system. Upstream: CRI's Mount.
type Mount struct {
	Path     string // in the container: absolute
	Volume   *Volume
	SubPath  string
	ReadOnly bool
}

// mountImages gives a container's mounts of images the images' files, and mountsImage tells whether it has one. Not every build has them.
var (
	mountImages func(r *Runtime, c *Container) error
	mountsImage func(c *Container, image string) bool
)

// mounted is the mount as the container will see it: a subPath of an atomic
// volume is a copy from here on.
func (m Mount) mounted() Mount {
	if m.SubPath == "" {
		return m
	}
	if !m.Volume.Atomic {
		// A directory that is not there is made. Upstream: pkg/kubelet/kubelet_pods.go, makeMounts, with SafeMakeDir.
		path := strings.Trim(clean("/", m.SubPath), "/")
		if _, file := m.Volume.files[path]; !file {
			if names, _ := m.Volume.List(path); len(names) == 0 {
				m.Volume.files[path+"/"] = ""
			}
		}
		return m
	}
	copied := NewVolume()
	copied.setMode("", m.Volume.mode(m.SubPath))
	for name, data := range m.Volume.files { // order: a copy
		if name == m.SubPath {
			copied.files[""] = data
		} else if rest, in := strings.CutPrefix(name, m.SubPath+"/"); in {
			copied.files[rest] = data
		}
	}
	return Mount{Path: m.Path, Volume: copied, ReadOnly: m.ReadOnly}
}

// clean makes an absolute path of one that may be relative to a directory.
func clean(dir, path string) string {
	if !strings.HasPrefix(path, "/") {
		path = dir + "/" + path
	}
	var out []string
	for _, part := range strings.Split(path, "/") {
		switch part {
		case "", ".":
		case "..":
			out = out[:max(len(out)-1, 0)]
		default:
			out = append(out, part)
		}
	}
	return "/" + strings.Join(out, "/")
}

// resolve finds the volume that holds a path of the container: the mount that
// is nearest, or the container's own writable layer.
func (c *Container) resolve(path string) (v *Volume, inside string, readOnly bool) {
	v, inside = c.root, strings.TrimPrefix(path, "/")
	readOnly = c.readOnlyRoot(path)
	longest := -1
	for i := range c.Config.Mounts {
		m := &c.Config.Mounts[i]
		at := clean("/", m.Path)
		if path != at && !strings.HasPrefix(path, strings.TrimSuffix(at, "/")+"/") || len(at) <= longest {
			continue
		}
		longest = len(at)
		v, readOnly = m.Volume, m.ReadOnly
		inside = strings.TrimPrefix(strings.TrimPrefix(path, at), "/")
		if m.SubPath != "" {
			inside = strings.Trim(m.SubPath+"/"+inside, "/")
		}
	}
	return v, inside, readOnly
}

func (c *Container) readFile(path string) (string, bool) {
	v, inside, _ := c.resolve(path)
	return v.Read(inside)
}

// usualDirs are in the root of every image, whose files nobody has put there are not shown.
var usualDirs = []string{"bin", "dev", "etc", "home", "proc", "root", "sys", "tmp", "usr", "var"}

func (c *Container) isDir(path string) bool {
	if path == "/" {
		return true
	}
	for _, m := range c.Config.Mounts {
		if at := clean("/", m.Path); strings.HasPrefix(at, path+"/") {
			return true
		}
	}
	v, inside, _ := c.resolve(path)
	if inside == "" {
		_, file := v.Read("")
		return !file
	}
	names, _ := v.List(inside)
	if slices.Contains(usualDirs, path[1:]) {
		return true
	}
	_, made := v.files[inside+"/"] // an empty one leaves a mark
	return len(names) > 0 || made
}

func (c *Container) listDir(path string) []string {
	v, inside, _ := c.resolve(path)
	names, _ := v.List(inside)
	for _, m := range c.Config.Mounts { // mount points are seen too
		if rest, in := strings.CutPrefix(clean("/", m.Path), strings.TrimSuffix(path, "/")+"/"); in {
			first, _, _ := strings.Cut(rest, "/")
			names = append(names, first)
		}
	}
	sort.Strings(names)
	out := names[:0]
	for i, name := range names {
		if name != "" && (i == 0 || name != names[i-1]) {
			out = append(out, name)
		}
	}
	return out
}

// writeFile returns why it could not, "" if it could.
func (c *Container) writeFile(path, data string, more bool) string {
	if path == "/dev/null" || path == "/dev/stdout" || path == "/dev/stderr" {
		return ""
	}
	v, inside, readOnly := c.resolve(path)
	if readOnly {
		return "Read-only file system"
	}
	if more {
		old, _ := v.Read(inside)
		data = old + data
	}
	if _, is := v.files[inside]; !is && len(v.files) >= mostFiles || len(data) > mostFile {
		return "No space left on device"
	}
	v.Write(inside, data)
	return ""
}

// readOnlyRoot tells whether what is not mounted can't be written: all but devices and the file for its last words.
func (c *Container) readOnlyRoot(path string) bool {
	s := c.Config.Security
	return s != nil && s.ReadOnlyRoot && !strings.HasPrefix(path, "/dev/") && path != clean("/", c.Config.TerminationMessagePath)
}
