//go:build linux || darwin || freebsd || netbsd || openbsd || dragonfly

package output

import (
	"os"
	"syscall"
)

// hold marks a folder as one that a living process works on; the mark goes with the
// process, however it ends. A folder that is not there is nobody's.
func hold(folder string) (release func(), err error) {
	f, err := os.Open(folder)
	if os.IsNotExist(err) {
		return func() {}, nil
	}
	if err != nil {
		return nil, err
	}
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		f.Close()
		return nil, err
	}
	return func() { f.Close() }, nil
}
