//go:build unix

package main

import (
	"os"
	"syscall"
)

// become replaces this process by another program. Listeners close with it.
func become(binary string, arguments []string) error {
	return syscall.Exec(binary, append([]string{binary}, arguments...), os.Environ())
}
