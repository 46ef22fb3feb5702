package output

import (
	"errors"

	"golang.org/x/sys/unix"
)

// exchange swaps two folders in one step: there is no moment without one of them.
// The error is errors.ErrUnsupported where the file system cannot.
func exchange(a, b string) error {
	err := unix.RenamexNp(a, b, unix.RENAME_SWAP)
	if errors.Is(err, unix.EINVAL) || errors.Is(err, unix.ENOTSUP) {
		return errors.ErrUnsupported
	}
	return err
}
