package cri

import "testing"

// A mount of a part of a volume makes the directory that is not there yet, and other mounts see it.
func TestSubPathsAreMade(t *testing.T) {
	v := NewVolume()
	v.Write("f", "text")
	for _, path := range []string{"a/b", "f"} {
		Mount{Path: "/part", Volume: v, SubPath: path}.mounted()
	}
	c := Container{root: NewVolume(), Config: ContainerConfig{Mounts: []Mount{{Path: "/all", Volume: v}}}}
	for path, want := range map[string]bool{"/all/a": true, "/all/a/b": true, "/all/f": false, "/all/c": false} {
		if got := c.isDir(path); got != want {
			t.Errorf("%s is a directory: %v", path, got)
		}
	}
	if text, ok := c.readFile("/all/f"); !ok || text != "text" {
		t.Errorf("the file has %q", text)
	}
}
