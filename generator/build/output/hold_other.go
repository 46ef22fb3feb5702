//go:build !linux && !darwin && !freebsd && !netbsd && !openbsd && !dragonfly

package output

// hold cannot tell here whether somebody works on a folder: two builds into one
// folder at once are not foreseen.
func hold(string) (release func(), err error) { return func() {}, nil }
