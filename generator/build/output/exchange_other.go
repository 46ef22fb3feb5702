//go:build !linux && !darwin

package output

import "errors"

// exchange has no equal here.
func exchange(string, string) error { return errors.ErrUnsupported }
