package output

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

// TestDiskIsReallyFull writes sites to a small disk of its own (a tmpfs, which is
// mounted for one process alone) until there is no room for the next one.
func TestDiskIsReallyFull(t *testing.T) {
	disk := os.Getenv("OUTPUT_TEST_DISK")
	if disk == "" {
		onOwnDisk(t)
		return
	}
	for name, test := range map[string]struct {
		size, files string // of the disk
		next        func() *Tree
	}{
		"one file is too large":    {"1m", "0", func() *Tree { return larger(1, 2<<20) }},
		"a file too many":          {"1m", "0", func() *Tree { return larger(700, 1500) }},
		"room for one site alone":  {"400k", "0", func() *Tree { return version(2) }},
		"no more files or folders": {"4m", "100", func() *Tree { return larger(40, 10) }},
	} {
		t.Run(name, func(t *testing.T) {
			if err := unix.Mount("tmpfs", disk, "tmpfs", 0, "size="+test.size+",nr_inodes="+test.files); err != nil {
				t.Fatal(err)
			}
			defer func() {
				if err := unix.Unmount(disk, 0); err != nil {
					t.Error(err)
				}
			}()
			dir := filepath.Join(disk, "public")
			if err := version(1).Write(dir); err != nil {
				t.Fatal(err)
			}
			before := contents(t, disk)
			err := test.next().Write(dir)
			if !errors.Is(err, syscall.ENOSPC) {
				t.Fatalf("got %v", err)
			}
			for _, want := range []string{"file ", "the disk is full", dir + " is as it was"} {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("the error lacks %q: %v", want, err)
				}
			}
			if strings.Contains(err.Error(), "-new-") {
				t.Errorf("the error names what is gone: %v", err)
			}
			after := contents(t, disk)
			for name, text := range before {
				if now, ok := after[name]; !ok || !bytes.Equal(now, text) {
					t.Errorf("%s is not as it was", name)
				}
				delete(after, name)
			}
			if len(after) > 0 {
				t.Errorf("left behind: %v", slices.Sorted(maps.Keys(after)))
			}
			if err := tree("a.html").Write(dir); err != nil {
				t.Errorf("a site for which there is room: %v", err)
			}
		})
	}
}

// larger is a site of so many files of a size, each in a folder of its own.
func larger(files, size int) *Tree {
	t := tree()
	for i := range files {
		t.Put("en/"+strconv.Itoa(i)+"/index.html", bytes.Repeat([]byte("x"), size))
	}
	return t
}

// contents are all files and folders below a folder, with their modes.
func contents(t *testing.T, dir string) map[string][]byte {
	t.Helper()
	out := map[string][]byte{}
	err := filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		var text []byte
		if !d.IsDir() {
			text, err = os.ReadFile(name)
		}
		relative, _ := filepath.Rel(dir, name)
		out[relative+" "+info.Mode().String()] = text
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// onOwnDisk runs the test again in a process that may mount what nobody else sees,
// as root or not. Where the kernel allows neither it is skipped.
func onOwnDisk(t *testing.T) {
	disk := t.TempDir()
	run := func(flags uintptr, check string) ([]byte, error) {
		child := exec.Command(os.Args[0], "-test.run=^"+t.Name()+"$", "-test.v=true")
		child.Env = append(os.Environ(), "OUTPUT_TEST_DISK="+disk, check)
		child.SysProcAttr = &syscall.SysProcAttr{Cloneflags: flags}
		if flags&syscall.CLONE_NEWUSER != 0 {
			child.SysProcAttr.UidMappings = []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getuid(), Size: 1}}
			child.SysProcAttr.GidMappings = []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getgid(), Size: 1}}
		}
		return child.CombinedOutput()
	}
	var refused []string
	for _, flags := range []uintptr{syscall.CLONE_NEWUSER | syscall.CLONE_NEWNS, syscall.CLONE_NEWNS} { // the second is root's
		if out, err := run(flags, "OUTPUT_TEST_MOUNT=1"); err != nil {
			refused = append(refused, fmt.Sprintf("%v %s", err, bytes.TrimSpace(out)))
			continue
		}
		out, err := run(flags, "OUTPUT_TEST_MOUNT=")
		if err != nil || !bytes.Contains(out, []byte("--- PASS: "+t.Name()+"/")) {
			t.Errorf("%v\n%s", err, out)
		}
		return
	}
	t.Skipf("this system lets no process mount a disk of its own (%s)", strings.Join(refused, "; "))
}

// mountable says why a process cannot mount a disk, and hides what it mounts from
// others.
func mountable(disk string) error {
	if err := unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""); err != nil {
		return fmt.Errorf("mounts stay its own: %w", err)
	}
	if err := unix.Mount("tmpfs", disk, "tmpfs", 0, "size=64k"); err != nil {
		return fmt.Errorf("tmpfs: %w", err)
	}
	return unix.Unmount(disk, 0)
}

func init() {
	disk := os.Getenv("OUTPUT_TEST_DISK")
	if disk == "" {
		return
	}
	err := mountable(disk)
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	if os.Getenv("OUTPUT_TEST_MOUNT") != "" {
		os.Exit(0)
	}
}
